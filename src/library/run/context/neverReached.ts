import { hasCode } from '../../base/errors.ts'

/** `Symbol.for` gives two copies of the package the same symbol. */
const NOT_RUN: symbol = Symbol.for('lineclear.nothingWasRun')

/** Marks an error of the framework that was thrown before anything was run. */
export function nothingWasRun<E extends Error>(error: E): E {
  return Object.defineProperty(error, NOT_RUN, { value: true, configurable: true })
}

/**
 * Whether the call never reached the outside system, or its error says that nothing was done. The proof is a failed connection or
 * DNS lookup in the only try: an SDK that has tried three times may have reached the outside system before the try that it
 * reports.
 */
export function neverReached(error: unknown): boolean {
  if (hasCode(error, 'RETRYABLE') || hasCode(error, 'TERMINAL')) return true
  if (typeof error === 'object' && error !== null && NOT_RUN in error) return true
  const chain = chainOf(error)
  return (
    // @protects a request that the SDK has repeated may have arrived
    !chain.some(wasRepeatedOrAnswered) && endsBeforeTheFirstByte(error, [])
  )
}

/** Whether the connection broke, so that it is unknown whether the request arrived. */
export function brokeOff(error: unknown): boolean {
  return chainOf(error).some(
    (each) =>
      ('syscall' in each && typeof each.syscall === 'string') ||
      ('code' in each && typeof each.code === 'string' && NETWORK.test(each.code)) ||
      ('name' in each && (each.name === 'AbortError' || each.name === 'TimeoutError')),
  )
}

/** Codes of Node's sockets and of undici. */
const NETWORK =
  /^(?:UND_ERR_.*|E(?:SOCKET|CONN|NET|HOST)\w*|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EPROTO|ERR_TLS_.*|ERR_SSL_.*|CERT_.*|.*_CERT)$/

/** The error, its causes and the members of an AggregateError, each once: causes may form a cycle. */
function chainOf(error: unknown): readonly object[] {
  const chain = new Set<object>()
  const open: unknown[] = [error]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null || chain.has(next)) continue
    chain.add(next)
    open.push(...causesOf(next))
  }
  return [...chain]
}

function causesOf(error: object): readonly unknown[] {
  const gathered: readonly unknown[] =
    'errors' in error && Array.isArray(error.errors) ? error.errors : []
  return 'cause' in error ? [error.cause, ...gathered] : gathered
}

/** Whether the SDK's `$metadata` shows several tries or an answer. */
function wasRepeatedOrAnswered(error: object): boolean {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined
  if (typeof metadata !== 'object' || metadata === null) return false
  const attempts = 'attempts' in metadata ? metadata.attempts : 1
  return (
    (attempts !== undefined && attempts !== 1) ||
    ('httpStatusCode' in metadata && metadata.httpStatusCode !== undefined)
  )
}

/** If several addresses were tried (happy eyeballs), every one of them must have failed before the first byte. */
function endsBeforeTheFirstByte(error: unknown, outer: readonly object[]): boolean {
  if (typeof error !== 'object' || error === null || outer.includes(error)) return false
  const within = [...outer, error]
  if ('syscall' in error) return error.syscall === 'connect' || error.syscall === 'getaddrinfo'
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every((each) => endsBeforeTheFirstByte(each, within))
  }
  return 'cause' in error && endsBeforeTheFirstByte(error.cause, within)
}
