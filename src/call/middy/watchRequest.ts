/** The part of middy's request that this middleware uses. */
export interface MiddlewareRequest {
  readonly event: unknown
  readonly context: unknown
  response: unknown
  error: unknown
  earlyResponse?: unknown
}

/** Is called when a request ends. No method rejects, but `received` may throw. */
interface RequestWatcher {
  /** The request failed with this error, the first one. `answer`: the function's own answer, if a later middleware threw. */
  failed(error: unknown, answer: { readonly value: unknown } | undefined): Promise<void>
  /** Another middleware replaced the answer after the function ran, and ended the chain. */
  answered(value: unknown): Promise<void>
  /** @returns what the caller receives instead of this answer, once the end is stored. Throws when that is an error. */
  received(answer: unknown): unknown
  /** Another middleware answered before the function ran. */
  notStarted(): Promise<void>
}

interface WatchedRequest {
  /** Only the first call takes effect; later calls wait for it. */
  settle(how: () => Promise<void>): Promise<void>
}

/**
 * Follows a request through middy, at any position in the chain. The hooks are not enough: a middleware that answers early ends
 * the chain before our hook runs, and an error handler replaces the error before our hook sees it. So `error` and `response`
 * of the request become accessors that report each assignment.
 */
export function watchRequest(request: MiddlewareRequest, watcher: RequestWatcher): WatchedRequest {
  let { response, error } = request
  /** The last two values of `response`, because middy clears it before it sets the error. */
  let answers: readonly { readonly value: unknown }[] = []
  let settling: Promise<void> | undefined
  let cut = false
  const settle = (how: () => Promise<void>): Promise<void> => (settling ??= how())

  const setError = (value: unknown): void => {
    error = value
    const [answer] = answers.length > 1 ? answers : []
    void settle(() => watcher.failed(value, answer))
  }
  const setResponse = (value: unknown): void => {
    response = value
    cut = 'earlyResponse' in request && request.earlyResponse === value
    if (!cut) answers = [...answers, { value }].slice(-2)
    else void settle(() => (answers.length === 0 ? watcher.notStarted() : watcher.answered(value)))
  }
  // After the chain was cut, middy does not wait for our hooks. It returns this promise instead, and its caller waits for it.
  const getResponse = (): unknown =>
    cut && response !== undefined ? settling?.then(() => watcher.received(response)) : response

  const visible = { configurable: true, enumerable: true }
  Object.defineProperties(request, {
    error: { ...visible, get: () => error, set: setError },
    response: { ...visible, get: getResponse, set: setResponse },
  })
  return { settle }
}
