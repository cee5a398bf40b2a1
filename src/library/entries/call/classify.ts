import { brokeOff, neverReached } from '../../run/context/neverReached.ts'
import { hasCode } from '../../base/errors.ts'

/**
 * What an error says about the work that threw it.
 * - `release`: not done. The key is free, and the next caller runs.
 * - `terminal`: done, and the error is its answer. Later callers get the same error.
 * - `parked`: failed, and not run again until an operator has resolved it.
 * - `unknown`: perhaps done, and parked as well.
 */
export type FailureClass = 'release' | 'terminal' | 'parked' | 'unknown'

/** The default of `idempotent`, for work that can be rolled back or repeated: an error means not done, unless its code says otherwise. */
export function classifyError(error: unknown): FailureClass {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  return hasCode(error, 'TERMINAL') ? 'terminal' : 'release'
}

/**
 * Classifies what a call to an outside system threw, for a call that must not be made twice. `release` only if the request
 * cannot have reached the other side: a RetryableError, a Lineclear error thrown before anything was run, or a host that was
 * not found or a connection that was not made, by the only attempt. TerminalError is `terminal`. Any other network failure is
 * `unknown`; an error that the system answered is `parked`.
 *
 * `endWithError` of a lock token uses it; as the option `classify` it makes `idempotent` as careful.
 * @example
 * import { classifyCall, idempotent } from 'lineclear'
 *
 * const chargeOnce = idempotent(
 *   { store, name: 'charges', key: (order: Order) => order.orderId, classify: classifyCall },
 *   async (order: Order) => charge(order),
 * )
 */
export function classifyCall(error: unknown): FailureClass {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  if (hasCode(error, 'TERMINAL')) return 'terminal'
  if (neverReached(error)) return 'release'
  return brokeOff(error) ? 'unknown' : 'parked'
}
