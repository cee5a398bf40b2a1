import type { Context } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { fakeClock, memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

/** How long the claim of a running record is exclusive, milliseconds. */
async function leaseIn(context: Context): Promise<number> {
  const [store, clock] = [memoryStore(), fakeClock()]
  let lease = 0
  const handler = recordHandler({ name: 'orders', store, clock, logger: quietLogger() }, () => {
    lease = Number(store.items()[0]?.['leaseUntil']) - clock.now()
  })
  await handler(sqsEvent({ n: 1 }), context)
  return lease
}

it('a claim outlives the function by five seconds: clocks differ, and a killed sandbox runs on for a while', async () => {
  expect(await leaseIn(lambdaContext(30_000))).toBe(35_000)
})

it('a context with more time than a timer can wait for does not abort the handler', async () => {
  const context = { ...lambdaContext(), getRemainingTimeInMillis: () => Number.MAX_SAFE_INTEGER }
  const signals: AbortSignal[] = []
  const handler = recordHandler(
    { name: 'orders', store: memoryStore(), logger: quietLogger() },
    async (_, { signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      signals.push(signal)
    },
  )
  await handler(sqsEvent({ n: 1 }), context)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
})

it('a claim outlives the longest function when the context does not say how much time is left', async () => {
  expect(await leaseIn({} as Context)).toBe(5_405_000)
})
