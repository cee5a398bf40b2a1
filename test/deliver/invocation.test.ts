import { expect, it } from 'vitest'
import type { Consumer } from '../../src/library/run/deliver/consumer.ts'
import { openInvocation } from '../../src/library/run/deliver/invocation.ts'
import { memoryQueueArn } from '../../src/testing/queues/description.ts'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

it('every call to SQS and SNS ends with the invocation that makes it', async () => {
  const ends: unknown[] = []
  const note = async (...given: readonly unknown[]) => {
    ends.push(given.at(-1))
    return []
  }
  const messenger = { send: note, publish: note, hide: note, remove: note }
  const consumer = {
    name: 'orders',
    clock: fakeClock(),
    store: memoryStore(),
    logger: quietLogger(),
    timeoutMargin: 1_000,
    messenger: { ...messenger, deadLetterQueueOf: note },
    features: {},
  }
  const given = consumer as unknown as Consumer
  const invocation = openInvocation(given, lambdaContext(60_000), memoryQueueArn('orders'))
  const bound = invocation.consumer.messenger
  await Promise.all([bound.send('q', []), bound.publish('t', []), bound.deadLetterQueueOf('q')])
  expect(ends).toEqual([invocation.over, invocation.over, invocation.over])
  await Promise.all([bound.hide('q', []), bound.remove('q', [])])
  expect(ends.every((end) => end instanceof AbortSignal)).toBe(true)
  invocation.close()
})
