/** What is to be undone, in the order in which it was done. */
export type CleanUps = (() => Promise<void>)[]

/** Also when another start fails while this one is still under way. */
export function stopLater<Started extends { stop(): Promise<void> }>(
  cleanUps: CleanUps,
  starting: Promise<Started>,
): Promise<Started> {
  cleanUps.push(() =>
    starting.then(
      (started) => started.stop(),
      () => {},
    ),
  )
  return starting
}

/** Each one once, last given first. */
export async function runAll(cleanUps: CleanUps): Promise<void> {
  for (let cleanUp = cleanUps.pop(); cleanUp !== undefined; cleanUp = cleanUps.pop())
    await cleanUp()
}

/** Consumers together, then engines, also when a consumer cannot be stopped: that is said afterwards. */
export async function stopAll(consumers: CleanUps, engines: CleanUps): Promise<void> {
  const stopped = await Promise.allSettled(consumers.map((stop) => stop()))
  await runAll(engines)
  const failed = stopped.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
