// @acts

/**
 * Timeouts of the clients that are made here, milliseconds. By default the SDK waits forever, and a half-open connection would
 * use up the whole invocation.
 */
export const CALL_TIMES = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const

/** Milliseconds. A client of the user's may have no limit of its own, and a lost connection would hold its caller for ever. */
// @protects a call to S3, which knows of no end of an invocation, is given up in time
// @without 20_000_000 @tests test/features/s3
const CALL_WITHIN_MS = 20_000

/**
 * Makes a call, and waits for it no longer than until `over` aborts. The SDK repeats a call by itself, even after a frozen sandbox
 * thaws, so the signal is passed to it; a client that does not heed the signal is not waited for either.
 * @throws when the signal has aborted already
 */
export async function inTime<Answer>(
  over: AbortSignal | undefined,
  call: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
  within: number = CALL_WITHIN_MS,
): Promise<Answer> {
  // @protects nothing is sent once the invocation is over
  // @tests test/deliver
  over?.throwIfAborted()
  const limit = AbortSignal.timeout(within)
  const abortSignal = over === undefined ? limit : AbortSignal.any([over, limit])
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(abortSignal.reason as Error)
    // @protects a silent SQS does not hold an invocation past its end
    // @tests test/deliver
    abortSignal.addEventListener('abort', giveUp, { once: true })
    call({ abortSignal })
      .finally(() => abortSignal.removeEventListener('abort', giveUp))
      .then(resolve, reject)
  })
}
