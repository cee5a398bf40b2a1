import { idempotent, invocationHandler, recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

/** As `@aws/durable-execution-sdk-js` 2.4 hands it over. */
const DURABLE = {
  executionContext: { durableExecutionArn: 'arn:aws:lambda:…/durable-execution/a/b' },
  lambdaContext: lambdaContext(),
  step: async (_name: string, work: () => unknown) => work(),
  wait: async () => {},
}
const INPUT = { DurableExecutionArn: 'arn', CheckpointToken: 't', InitialExecutionState: {} }

function made() {
  const runs: unknown[] = []
  const options = { store: memoryStore(), logger: quietLogger() }
  const work = async (event: object) => void runs.push(event)
  const key = () => 'k'
  return {
    runs,
    once: idempotent({ ...options, name: 's', key }, async (event: object, _context?: unknown) =>
      work(event),
    ),
    invoked: invocationHandler({ ...options, name: 'n', key: key }, work) as (
      event: object,
      context: unknown,
    ) => Promise<void>,
    consumer: recordHandler(
      { ...options, name: 'orders' },
      async (order) => void runs.push(order),
    ) as (event: object, context: unknown) => Promise<unknown>,
  }
}

describe('a durable execution is refused with the recipe, at its first call', () => {
  it.each([
    ['its context', sqsEvent([{}]), DURABLE],
    ['its input', INPUT, lambdaContext()],
  ])('that shows by %s', async (_what, event, context) => {
    const { once, invoked, consumer, runs } = made()
    for (const call of [once, invoked]) {
      await expect(call(event, context)).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringMatching(/Nothing was run.*DurableExecutionName.*context\.step/s),
      })
    }
    await expect(consumer(event, context)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringMatching(/got a durable.*Nothing was run.*DurableExecutionName/is),
    })
    expect(runs).toEqual([])
  })

  it('and a function that a step calls runs once', async () => {
    const { once, runs } = made()
    for (let replay = 0; replay < 2; replay++) await DURABLE.step('charge', () => once({ n: 1 }))
    expect(runs).toEqual([{ n: 1 }])
  })
})
