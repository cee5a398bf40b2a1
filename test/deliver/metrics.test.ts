import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

it('metrics that throw change nothing in the response', async () => {
  const metrics = {
    addDimension: () => {},
    addMetric: () => {},
    publishStoredMetrics: () => {
      throw new Error('no metrics today')
    },
  }
  const logger = quietLogger()
  const handler = recordHandler({ name: 'orders', store: memoryStore(), logger, metrics }, () => {})
  const answer = await handler(sqsEvent({ n: 1 }), lambdaContext())
  expect(answer).toEqual({ batchItemFailures: [] })
  expect(logger.lines).toContainEqual(expect.objectContaining({ message: 'metrics threw' }))
})
