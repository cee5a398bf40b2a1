/** What middy hands to its middlewares, as far as we look at it. */
export interface MiddlewareRequest {
  readonly event: unknown
  readonly context: unknown
  response: unknown
  error: unknown
  earlyResponse?: unknown
}

/** What a request has come to. No method rejects. */
export interface RequestWatcher {
  /** The first error, as it was thrown. `answer`: what the function had answered before, when a later middleware threw. */
  failed(error: unknown, answer: { readonly value: unknown } | undefined): Promise<void>
  /** Another middleware has answered after the function, and nobody behind it is called. */
  answered(value: unknown): Promise<void>
  /** Another middleware has answered before the function was run. */
  notStarted(): Promise<void>
}

export interface WatchedRequest {
  /** The first to tell is heard; everybody may wait for it. */
  settle(how: () => Promise<void>): Promise<void>
}

/**
 * Follows a request through middy, wherever in the chain we stand. The hooks alone do not do: a middleware that answers ends
 * the chain before our hook is called, and an error handler replaces the error before we see it. So the `error` and the
 * `response` of the request are watched.
 */
export function watchRequest(request: MiddlewareRequest, watcher: RequestWatcher): WatchedRequest {
  let { response, error } = request
  /** The last two values of `response`: middy clears it before it sets the error. */
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
  // Nobody waits for us when the chain was cut: then middy is given a promise to return, which its caller waits for.
  const getResponse = (): unknown =>
    cut && response !== undefined ? settling?.then(() => response) : response

  const visible = { configurable: true, enumerable: true }
  Object.defineProperties(request, {
    error: { ...visible, get: () => error, set: setError },
    response: { ...visible, get: getResponse, set: setResponse },
  })
  return { settle }
}
