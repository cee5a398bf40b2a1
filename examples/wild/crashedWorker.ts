import type { Context, SQSEvent } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { fakeClock, memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/timgit/pg-boss/issues/436 and https://github.com/graphile/worker/issues/222 (graphile-worker 0.18): no
 * process notices that a worker has crashed, so its job stays locked for as long as the longest job may take: 4 hours.
 */
const MINUTE = 60_000
const MOST_MINUTES = 300

export async function before(): Promise<object> {
  const clock = fakeClock()
  const job = { lockedAt: 0, runs: 0 }
  const work = (): void => {
    if (clock.now() - job.lockedAt < 4 * 60 * MINUTE) return
    job.lockedAt = clock.now()
    job.runs += 1
  }
  work() // and crashes
  let minutes = 0
  for (; job.runs < 2 && minutes < MOST_MINUTES; minutes += 1) {
    clock.advance(MINUTE)
    work()
  }
  return { minutes }
}

/** A function with a timeout of 30 seconds holds its claim for 35. */
export async function after(): Promise<object> {
  const cloud = memoryCloud({ queues: { jobs: { visibilityTimeout: 30 } } })
  const { store, clients, clock, logger } = cloud
  const started = Promise.withResolvers<void>()
  const job = { runs: 0 }
  const handler = recordHandler({ name: 'jobs', store, clients, clock, logger }, async () => {
    started.resolve()
    if ((job.runs += 1) === 1) await new Promise(() => {})
  })
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context
  const jobs = (event: SQSEvent): unknown => handler(event, context)
  cloud.send('jobs', {})
  void cloud.deliver('jobs', jobs)
  await started.promise
  let minutes = 0
  for (; job.runs < 2 && minutes < MOST_MINUTES; minutes += 1) {
    clock.advance(MINUTE)
    await cloud.deliver('jobs', jobs)
  }
  return { minutes }
}
