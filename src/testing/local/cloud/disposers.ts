/** Functions that stop what was started, in the order of the starts. */
export type Disposers = (() => Promise<void>)[]

/** Stops it even if another start fails while this one is still in progress. */
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

/** Runs each function once, the last one first. */
export async function runAll(disposers: Disposers): Promise<void> {
  for (let cleanUp = disposers.pop(); cleanUp !== undefined; cleanUp = disposers.pop())
    await cleanUp()
}

/** Stops the consumers together, then the engines. If a consumer cannot be stopped, the engines still are, and then it throws. */
export async function stopAll(consumers: Disposers, engines: Disposers): Promise<void> {
  const stopped = await Promise.allSettled(consumers.map((stop) => stop()))
  await runAll(engines)
  const failed = stopped.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
