import { brokeOff, neverReached } from '../context/neverReached.ts'
import { hasCode } from '../errors.ts'

/**
 * What an error says of the work. `release`: not done, the next caller may begin. `final`: done, and the error is its
 * answer. `person`: somebody has to look. `unknown`: nobody knows whether it was done.
 */
export type FailureClass = 'release' | 'final' | 'needsOperator' | 'unknown'

/** For work that may be tried again: what does not say otherwise was not done. */
export function classifyError(error: unknown): FailureClass {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  return hasCode(error, 'TERMINAL') ? 'final' : 'release'
}

/**
 * For a call to somebody else, which must not be made twice: only what surely never reached them may be tried again
 * (RetryableError; our own errors that say that nothing was run; a name that was not found or a connection that was not made, by
 * the only attempt). What else the network ends with nobody knows; what came back as an error needs a person.
 */
export function classifyCall(error: unknown): FailureClass {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  if (hasCode(error, 'TERMINAL')) return 'final'
  if (neverReached(error)) return 'release'
  return brokeOff(error) ? 'unknown' : 'needsOperator'
}
