import { surelyNotDone } from '../effect/once.ts'
import { hasCode } from '../errors.ts'

/**
 * What an error says of the work. `release`: not done, the next caller may begin. `final`: done, and the error is its
 * answer. `person`: somebody has to look. `unknown`: nobody knows whether it was done.
 */
export type Classified = 'release' | 'final' | 'person' | 'unknown'

/** For work that may be tried again: what does not say otherwise was not done. */
export function classifyError(error: unknown): Classified {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  return hasCode(error, 'TERMINAL') ? 'final' : 'release'
}

/**
 * For a call to somebody else, which must not be made twice: only what surely never reached them may be tried again
 * (RetryableError; no name, connection or TLS). After the first byte nobody knows; what came back as an error needs a person.
 */
export function classifyCall(error: unknown): Classified {
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return 'unknown'
  if (hasCode(error, 'TERMINAL')) return 'final'
  if (surelyNotDone(error)) return 'release'
  return brokeOff(error) ? 'unknown' : 'person'
}

/** Codes of Node's sockets and of undici, names of aborted fetches and of the AWS SDK. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'AbortError',
  'TimeoutError',
])

function brokeOff(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  if ('code' in error && BROKEN_OFF.has(error.code)) return true
  if ('name' in error && BROKEN_OFF.has(error.name)) return true
  return 'cause' in error && error.cause !== error && brokeOff(error.cause)
}
