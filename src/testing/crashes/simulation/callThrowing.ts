import { call } from './call.ts'
import type { CrashCallFault } from './crashFaults.ts'
import type { ScheduleContext } from './scheduleContext.ts'
import type { Actor } from './simulation.ts'

/** A call that throws when it fails, as an SDK client does. */
interface ThrowingCall<A> {
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
