/**
 * Runs a handler, and waits for the effects that it has begun. A handler that failed may still have calls under way, because
 * Promise.all rejects at the first error. They have to end before the next attempt starts: it would otherwise find an unknown
 * outcome, only because the call has not been answered yet.
 */
export async function awaitEffects<Result>(
  run: () => Result | Promise<Result>,
  settled: () => Promise<void>,
): Promise<Result> {
  let result: Result
  try {
    result = await run()
  } catch (error) {
    await settled().catch(() => {})
    throw error
  }
  await settled()
  return result
}
