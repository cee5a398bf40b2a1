import { call } from './call.ts'
import type { ScheduleContext } from './scheduleContext.ts'
import type { Actor, CrashCallFault } from './simulation.ts'

/** A call that throws when it fails, as an SDK does. */
interface Throwing<A> {
  readonly what: string
  readonly apply: () => A
  readonly faults: readonly CrashCallFault[]
  /** Names it in every attempt. */
  readonly id?: string
}

type Answer<A> =
  | { readonly kind: 'answered'; readonly value: A }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'none' }

/** @throws Error when the explorer lets it have no answer, or the service refuses */
export async function callThrowing<A>(
  { simulation }: ScheduleContext,
  actor: Actor,
  { what, apply, faults, id }: Throwing<A>,
): Promise<A> {
  const none = (): Answer<A> => ({ kind: 'none' })
  const answer = await call<Answer<A>>(simulation, actor, {
    what,
    apply: async () => answerOf(apply),
    unanswered: none,
    throttled: none,
    told: ({ kind }) => kind,
    faults,
    ...(id !== undefined && { id }),
  })
  if (answer.kind === 'answered') return answer.value
  if (answer.kind === 'refused') throw answer.error
  throw Object.assign(new Error(`${what}: the connection broke`), { code: 'ECONNRESET' })
}

function answerOf<A>(apply: () => A): Answer<A> {
  try {
    return { kind: 'answered', value: apply() }
  } catch (error) {
    return { kind: 'refused', error: error as Error }
  }
}
