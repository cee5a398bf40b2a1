import type { CrashCallFault } from './crashFaults.ts'
import {
  type Actor,
  killInvocation,
  mayHappen,
  type NextEvent,
  noteAnswer,
  type PendingCall,
  type Simulation,
} from './simulation.ts'
import type { ScheduleContext } from './scheduleContext.ts'

/** One call to a service. Nothing happens until the explorer chooses what. */
interface ServiceCall<A> {
  readonly what: string
  readonly apply: () => Promise<A>
  readonly faults: readonly CrashCallFault[]
  /** What the caller gets when no answer arrives. */
  readonly unanswered?: () => A
  readonly throttled?: () => A
  readonly conflicted?: () => A
  readonly stale?: () => A
  readonly behind?: () => A
  readonly tables?: readonly string[]
  /** The service lets the call wait, for a lock. Default: never. */
  readonly isBlocked?: () => boolean
  /** Identifies the same call in every attempt. */
  readonly id?: string
  /** All that the caller can see of an answer. */
  readonly seen: (answer: A) => string
}

/** Resolves when the explorer lets the call have an answer. Never resolves once its caller is killed. */
export function call<A>(simulation: Simulation, actor: Actor, request: ServiceCall<A>): Promise<A> {
  return new Promise((resolve) => {
    wait(simulation, actor, request, (answer) => {
      noteAnswer(simulation, actor, request.seen(answer))
      // Timers set from here on belong to this invocation and die with it, not with the one that ran last.
      simulation.current = actor
      resolve(answer)
    })
  })
}

type Reply<A> = (answer: A) => void

function wait<A>(
  simulation: Simulation,
  actor: Actor,
  request: ServiceCall<A>,
  reply: Reply<A>,
): void {
  const pending: PendingCall = {
    actor,
    what: request.what,
    knew: actor.knowledge,
    options: () => optionsOf(simulation, pending, request, reply),
  }
  simulation.pending.push(pending)
}

function optionsOf<A>(
  simulation: Simulation,
  pending: PendingCall,
  request: ServiceCall<A>,
  reply: Reply<A>,
): NextEvent[] {
  const { actor, what } = pending
  if (request.isBlocked?.() === true) return []
  const leave = (): void => {
    simulation.pending = simulation.pending.filter((each) => each !== pending)
  }
  const arrive = (then: Reply<A>): void => {
    leave()
    void request.apply().then(then)
  }
  const underway = { simulation, actor, request, reply, leave, arrive }
  const forced = forcedOn(simulation, pending, request)
  if (forced !== undefined) {
    const words = `${actor.name} ${what}: ${forced}`
    return [{ words, fault: undefined, take: () => happen(forced, underway) }]
  }
  const options: NextEvent[] = [
    { words: `${actor.name} ${what}`, fault: undefined, take: () => arrive(reply) },
  ]
  if (actor.state !== 'running') return options
  for (const fault of request.faults) {
    if (!mayHappen(simulation, fault)) continue
    const words = `${actor.name} ${what}: ${fault}`
    options.push({ words, fault, take: () => happen(fault, underway) })
  }
  return options
}

/** An earlier fault that still lasts: it hits this call without a choice. */
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

/** Longer than all the deliveries that a consumer gives a message. */
const THROTTLED_MS = 3 * 3_600_000

interface Underway<A> {
  readonly simulation: Simulation
  readonly actor: Actor
  readonly request: ServiceCall<A>
  readonly reply: Reply<A>
  /** Takes the call off the list of pending ones. */
  readonly leave: () => void
  /** The request takes effect. */
  readonly arrive: (then: Reply<A>) => void
}

function happen<A>(
  fault: CrashCallFault,
  { simulation, actor, request, reply, leave, arrive }: Underway<A>,
): void {
  const answer = (made: (() => A) | undefined): void => {
    if (made === undefined) throw new Error(`${request.what} has no answer for: ${fault}`)
    reply(made())
  }
  const refuse = (made: (() => A) | undefined): void => {
    leave()
    answer(made)
  }
  const again = (how: string, reply: Reply<A>): void =>
    wait(simulation, actor, { ...request, what: `${request.what}, ${how}`, faults: [] }, reply)
  switch (fault) {
    case 'request lost':
      return refuse(request.unanswered)
    case 'answer lost':
      return arrive(() => answer(request.unanswered))
    case 'throttled':
      return refuse(request.throttled)
    case 'table throttled':
      for (const table of request.tables ?? []) {
        if (!simulation.throttled.has(table))
          simulation.throttled.set(table, simulation.now + THROTTLED_MS)
      }
      return refuse(request.throttled)
    case 'conflict':
      return refuse(request.conflicted)
    case 'stale':
      return refuse(request.stale)
    case 'a second behind':
      return refuse(request.behind)
    case 'repeated':
      return arrive(() => again('retried by the SDK', reply))
    case 'killed each time':
      simulation.deadly.add(request.id ?? request.what)
      return killInvocation(simulation, actor)
    case 'killed before':
      return killInvocation(simulation, actor)
    case 'killed on the wire':
      killInvocation(simulation, actor)
      return again('arriving late', () => {})
  }
}

export interface ThrowingCall<A> {
  readonly what: string
  readonly apply: () => A
  readonly faults: readonly CrashCallFault[]
  /** Identifies the same call in every attempt. */
  readonly id?: string
}

type CallResult<A> =
  | { readonly kind: 'answered'; readonly value: A }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'none' }

/** @throws Error when the explorer chooses that no answer arrives, or when the service refuses the request */
export async function callThrowing<A>(
  { simulation }: ScheduleContext,
  actor: Actor,
  { what, apply, faults, id }: ThrowingCall<A>,
): Promise<A> {
  const none = (): CallResult<A> => ({ kind: 'none' })
  const result = await call<CallResult<A>>(simulation, actor, {
    what,
    apply: async () => resultOf(apply),
    unanswered: none,
    throttled: none,
    seen: ({ kind }) => kind,
    faults,
    ...(id !== undefined && { id }),
  })
  if (result.kind === 'answered') return result.value
  if (result.kind === 'refused') throw result.error
  throw Object.assign(new Error(`${what}: the connection broke`), { code: 'ECONNRESET' })
}

function resultOf<A>(apply: () => A): CallResult<A> {
  try {
    return { kind: 'answered', value: apply() }
  } catch (error) {
    return { kind: 'refused', error: error as Error }
  }
}
