import {
  type Actor,
  type CrashCallFault,
  type CrashFault,
  killInvocation,
  noteAnswer,
  type Simulation,
} from './simulation.ts'

/** One call to a service: nothing happens until the explorer lets it. */
interface ServiceCall<A> {
  readonly what: string
  readonly apply: () => Promise<A>
  readonly faults: readonly CrashCallFault[]
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
export interface NextEvent {
  readonly words: string
  readonly fault: CrashFault | undefined
  readonly take: () => void
}

export interface PendingCall {
  readonly actor: Actor
  readonly what: string
  /** What its sender knew, and so what it says. */
  readonly knew: number
  readonly options: () => NextEvent[]
}

/** Resolves when the explorer lets the call have an answer; never, when its caller is killed. */
export function call<A>(simulation: Simulation, actor: Actor, request: ServiceCall<A>): Promise<A> {
  return new Promise((resolve) => {
    wait(simulation, actor, request, (answer) => {
      noteAnswer(simulation, actor, request.told(answer))
      // What it sets now are its own timers: they die with it, not with whoever ran last.
      simulation.current = actor
      resolve(answer)
    })
  })
}

type Tell<A> = (answer: A) => void

function wait<A>(
  simulation: Simulation,
  actor: Actor,
  request: ServiceCall<A>,
  tell: Tell<A>,
): void {
  const pending: PendingCall = {
    actor,
    what: request.what,
    knew: actor.knowledge,
    options: () => optionsOf(simulation, pending, request, tell),
  }
  simulation.pending.push(pending)
}

function optionsOf<A>(
  simulation: Simulation,
  pending: PendingCall,
  request: ServiceCall<A>,
  tell: Tell<A>,
): NextEvent[] {
  const { actor, what } = pending
  const leave = (): void => {
    simulation.pending = simulation.pending.filter((each) => each !== pending)
  }
  const arrive = (then: Tell<A>): void => {
    leave()
    void request.apply().then(then)
  }
  const forced = forcedOn(simulation, pending, request)
  if (forced !== undefined) {
    const words = `${actor.name} ${what}: ${forced}`
    const take = (): void => happen(forced, { simulation, actor, request, tell, leave, arrive })
    return [{ words, fault: undefined, take }]
  }
  const options: NextEvent[] = [
    { words: `${actor.name} ${what}`, fault: undefined, take: () => arrive(tell) },
  ]
  if (simulation.faultsLeft === 0 || actor.state !== 'running') return options
  for (const fault of request.faults) {
    if (!simulation.faults.has(fault)) continue
    const take = (): void => happen(fault, { simulation, actor, request, tell, leave, arrive })
    options.push({ words: `${actor.name} ${what}: ${fault}`, fault, take })
  }
  return options
}

/** What has gone wrong before, and still does. */
function forcedOn<A>(
  simulation: Simulation,
  { actor }: PendingCall,
  { tables = [], id }: ServiceCall<A>,
): CrashCallFault | undefined {
  if (actor.state !== 'running') return undefined
  if (id !== undefined && simulation.deadly.has(id)) return 'killed each time'
  const isThrottled = tables.some(
    (table) => (simulation.throttled.get(table) ?? 0) > simulation.now,
  )
  return isThrottled ? 'table throttled' : undefined
}

/** As many deliveries as a consumer gives a message. */
const THROTTLED_MS = 3 * 3_600_000

interface Underway<A> {
  readonly simulation: Simulation
  readonly actor: Actor
  readonly request: ServiceCall<A>
  readonly tell: Tell<A>
  /** It is on the way no more. */
  readonly leave: () => void
  /** It takes effect. */
  readonly arrive: (then: Tell<A>) => void
}

function happen<A>(
  fault: CrashCallFault,
  { simulation, actor, request, tell, leave, arrive }: Underway<A>,
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
        if (!simulation.throttled.has(table))
          simulation.throttled.set(table, simulation.now + THROTTLED_MS)
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
          simulation,
          actor,
          { ...request, what: `${request.what}, again by the SDK`, faults: [] },
          tell,
        ),
      )
    case 'killed each time':
      simulation.deadly.add(request.id ?? request.what)
      return killInvocation(simulation, actor)
    case 'killed before':
      return killInvocation(simulation, actor)
    case 'killed on the wire':
      killInvocation(simulation, actor)
      return wait(
        simulation,
        actor,
        { ...request, what: `${request.what}, late`, faults: [] },
        () => {},
      )
  }
}
