import { type Actor, type CallFault, type Fault, kill, learn, type World } from './simulation.ts'

/** One call to a service: nothing happens until the explorer lets it. */
export interface Call<A> {
  readonly what: string
  readonly apply: () => Promise<A>
  readonly faults: readonly CallFault[]
  /** What the caller is told when it gets no answer. */
  readonly unanswered?: () => A
  readonly throttled?: () => A
  readonly conflicted?: () => A
  readonly stale?: () => A
  readonly behind?: () => A
  /** Of the caller's own, that it needs. */
  readonly tables?: readonly string[]
  /** Names it in every attempt. */
  readonly id?: string
  /** All that the caller can see of an answer. */
  readonly told: (answer: A) => string
}

/** Something that can happen next. */
export interface Option {
  readonly words: string
  readonly fault: Fault | undefined
  readonly take: () => void
}

export interface Pending {
  readonly actor: Actor
  readonly what: string
  /** What its sender knew, and so what it says. */
  readonly knew: number
  readonly options: () => Option[]
}

/** Resolves when the explorer lets the call have an answer; never, when its caller is killed. */
export function call<A>(world: World, actor: Actor, request: Call<A>): Promise<A> {
  return new Promise((resolve) => {
    wait(world, actor, request, (answer) => {
      learn(world, actor, request.told(answer))
      // What it sets now are its own timers: they die with it, not with whoever ran last.
      world.current = actor
      resolve(answer)
    })
  })
}

type Tell<A> = (answer: A) => void

function wait<A>(world: World, actor: Actor, request: Call<A>, tell: Tell<A>): void {
  const pending: Pending = {
    actor,
    what: request.what,
    knew: actor.knows,
    options: () => optionsOf(world, pending, request, tell),
  }
  world.pending.push(pending)
}

function optionsOf<A>(world: World, pending: Pending, request: Call<A>, tell: Tell<A>): Option[] {
  const { actor, what } = pending
  const leave = (): void => {
    world.pending = world.pending.filter((each) => each !== pending)
  }
  const arrive = (then: Tell<A>): void => {
    leave()
    void request.apply().then(then)
  }
  const forced = forcedOn(world, pending, request)
  if (forced !== undefined) {
    const words = `${actor.name} ${what}: ${forced}`
    const take = (): void => happen(forced, { world, actor, request, tell, leave, arrive })
    return [{ words, fault: undefined, take }]
  }
  const options: Option[] = [
    { words: `${actor.name} ${what}`, fault: undefined, take: () => arrive(tell) },
  ]
  if (world.faultsLeft === 0 || actor.state !== 'running') return options
  for (const fault of request.faults) {
    if (!world.faults.has(fault)) continue
    const take = (): void => happen(fault, { world, actor, request, tell, leave, arrive })
    options.push({ words: `${actor.name} ${what}: ${fault}`, fault, take })
  }
  return options
}

/** What has gone wrong before, and still does. */
function forcedOn<A>(
  world: World,
  { actor }: Pending,
  { tables = [], id }: Call<A>,
): CallFault | undefined {
  if (actor.state !== 'running') return undefined
  if (id !== undefined && world.deadly.has(id)) return 'killed each time'
  const isThrottled = tables.some((table) => (world.throttled.get(table) ?? 0) > world.now)
  return isThrottled ? 'table throttled' : undefined
}

/** As many deliveries as a consumer gives a message. */
const THROTTLED_MS = 3 * 3_600_000

interface Underway<A> {
  readonly world: World
  readonly actor: Actor
  readonly request: Call<A>
  readonly tell: Tell<A>
  /** It is on the way no more. */
  readonly leave: () => void
  /** It takes effect. */
  readonly arrive: (then: Tell<A>) => void
}

function happen<A>(
  fault: CallFault,
  { world, actor, request, tell, leave, arrive }: Underway<A>,
): void {
  const answer = (made: (() => A) | undefined): void => {
    if (made === undefined) throw new Error(`${request.what} has no answer for: ${fault}`)
    tell(made())
  }
  switch (fault) {
    case 'request lost':
      leave()
      return answer(request.unanswered)
    case 'answer lost':
      return arrive(() => answer(request.unanswered))
    case 'throttled':
      leave()
      return answer(request.throttled)
    case 'table throttled':
      leave()
      for (const table of request.tables ?? []) {
        if (!world.throttled.has(table)) world.throttled.set(table, world.now + THROTTLED_MS)
      }
      return answer(request.throttled)
    case 'conflict':
      leave()
      return answer(request.conflicted)
    case 'stale':
      leave()
      return answer(request.stale)
    case 'a second behind':
      leave()
      return answer(request.behind)
    case 'repeated':
      return arrive(() =>
        wait(
          world,
          actor,
          { ...request, what: `${request.what}, again by the SDK`, faults: [] },
          tell,
        ),
      )
    case 'killed each time':
      world.deadly.add(request.id ?? request.what)
      return kill(world, actor)
    case 'killed before':
      return kill(world, actor)
    case 'killed on the wire':
      kill(world, actor)
      return wait(world, actor, { ...request, what: `${request.what}, late`, faults: [] }, () => {})
  }
}
