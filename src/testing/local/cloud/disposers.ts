/** What is to be undone, in the order in which it was done. */
export type Disposers = (() => Promise<void>)[]

/** Also when another start fails while this one is still under way. */
export function stopLater<Started extends { stop(): Promise<void> }>(
  disposers: Disposers,
  starting: Promise<Started>,
): Promise<Started> {
  disposers.push(() =>
    starting.then(
      (started) => started.stop(),
      () => {},
    ),
  )
  return starting
}

/** Each one once, last given first. */
export async function runAll(disposers: Disposers): Promise<void> {
  for (let cleanUp = disposers.pop(); cleanUp !== undefined; cleanUp = disposers.pop())
    await cleanUp()
}

/** Consumers together, then engines, also when a consumer cannot be stopped: that is said afterwards. */
export async function stopAll(consumers: Disposers, engines: Disposers): Promise<void> {
  const stopped = await Promise.allSettled(consumers.map((stop) => stop()))
  await runAll(engines)
  const failed = stopped.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
