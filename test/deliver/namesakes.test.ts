import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { type RecordHandlerOptions, recordHandler } from 'lineclear'
import { memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { openQueueDouble } from '../proof/random/queueDouble.ts'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { quietLogger } from './quietLogger.ts'
import { lambdaContext } from './lambdaContext.ts'

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:'
const queueArn = (name: string): string => `arn:aws:sqs:eu-west-1:123456789012:${name}`

/** @param name empty: the context does not say which function it is */
function contextOf(name: string): Context {
  const { functionName: _name, invokedFunctionArn: _arn, ...unnamed } = lambdaContext()
  return name === ''
    ? (unnamed as Context)
    : { ...unnamed, functionName: name, invokedFunctionArn: ARN + name }
}

/** Functions that share a table, and are all named `orders` unless they say so. */
function table() {
  const store = memoryStore()
  const queueDouble = openQueueDouble(() => Date.now())
  const sqs = queueDouble.client as SQSClient
  const runs: string[] = []
  const lambda =
    (name: string, options: Partial<Omit<RecordHandlerOptions, 'schema'>> = {}) =>
    async (queue: string, id: string, attributes: Readonly<Record<string, string>> = {}) => {
      const common = { name: 'orders', store, clients: { sqs }, logger: quietLogger() }
      const handler = recordHandler({ ...common, ...options }, () => void runs.push(name))
      const record = sqsRecord(
        {},
        { queueArn: queueArn(queue), attributes: { uniquerequestid: id, ...attributes } },
      )
      return handler(sqsEvent(record), contextOf(name))
    }
  return { lambda, runs, store, dead: queueDouble.queue('dead-letters') }
}

it('when two functions of one name read two queues of one topic, the second one loses no message', async () => {
  const { lambda, runs, dead } = table()
  await lambda('orders-api')('orders', 'r')
  expect(await lambda('mailer')('mail', 'r')).toEqual({ batchItemFailures: [] })
  expect(runs).toEqual(['orders-api'])
  expect(dead.messages).toHaveLength(1)
  const attribute = dead.messages[0] && attributeOf(dead.messages[0].message, 'lineclear')
  expect(attribute).toContain('"reason":"conflict"')
  expect(attribute).toContain('another name')
})

it('a redriven message runs once the consumer has another name', async () => {
  const { lambda, runs, dead } = table()
  await lambda('orders-api')('orders', 'r')
  await lambda('mailer')('mail', 'r')
  const lineclear = dead.messages[0] && attributeOf(dead.messages[0].message, 'lineclear')
  if (lineclear === undefined) throw new Error('no dead letter')
  await lambda('mailer')('mail', 'r', { lineclear })
  expect(runs).toEqual(['orders-api'])
  expect(dead.messages).toHaveLength(2)
  await lambda('mailer', { name: 'mail' })('mail', 'r', { lineclear })
  expect(runs).toEqual(['orders-api', 'mailer'])
})

it.each([
  ['one function that reads two queues', 'a', 'q2'],
  ['an alias of the function', 'a:live', 'q2'],
  ['a version of the function', 'a:7', 'q2'],
  ['a function in its place, at the same queue', 'b', 'q1'],
] as const)('%s is the same consumer: a duplicate is dropped', async (_, name, queue) => {
  const { lambda, runs, dead } = table()
  await lambda('a')('q1', 'r')
  await lambda(name)(queue, 'r')
  expect([runs, dead.messages]).toEqual([['a'], []])
})

it('a copy and a dead letter run on the queue that they are moved to', async () => {
  const { lambda, runs, dead } = table()
  await lambda('a')('q1', 'r')
  await lambda('b')('q2', 'r', {
    lineclear: '{"format":1,"resendNumber":1,"hops":1,"consumer":"orders"}',
  })
  expect([runs, dead.messages]).toEqual([['a'], []])
})

it('a token that names no consumer fits every consumer', async () => {
  const { lambda, runs, dead, store } = table()
  await lambda('')('q1', 'r')
  expect(store.items()[0]).not.toHaveProperty('by')
  await lambda('b')('q2', 'r')
  expect([runs, dead.messages]).toEqual([[''], []])
})
