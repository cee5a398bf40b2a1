import { type Actor, type CallFault, type Fault, kill, learn, type World } from './world.ts'

/** One call to a service: nothing happens until the explorer lets it. */
export interface Call<A> {
  readonly what: string
  readonly apply: () => Promise<A>
  readonly faults: readonly CallFault[]
  /** What the caller is told when it gets no answer. */
  readonly unanswered?: () => A
  readonly throttled?: () => A
  readonly stale?: () => A
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
    case 'stale':
      leave()
      return answer(request.stale)
    case 'repeated':
      return arrive(() =>
        wait(
          world,
          actor,
          { ...request, what: `${request.what}, again by the SDK`, faults: [] },
          tell,
        ),
      )
    case 'killed before':
      return kill(world, actor)
    case 'killed on the wire':
      kill(world, actor)
      return wait(world, actor, { ...request, what: `${request.what}, late`, faults: [] }, () => {})
  }
}
