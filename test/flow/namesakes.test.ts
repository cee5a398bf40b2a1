import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { defineFlow, type FlowOptions, TerminalError } from 'lineclear'
import { fakeClock, memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { attributeOf } from '../../src/testing/queues/simulatedQueue.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { openQueueDouble } from '../proof/random/queueDouble.ts'

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:'
const queueArn = (name: string): string => `arn:aws:sqs:eu-west-1:123456789012:${name}`
const Booking = z.object({ key: z.string(), fails: z.literal(true).optional() })
const stages = { book: { schema: Booking } } as const

type Options = Partial<Pick<FlowOptions<typeof stages, {}>, 'name' | 'process' | 'onConflict'>>
interface Sent {
  readonly at?: number
  readonly fails?: true
  readonly attributes?: Readonly<Record<string, string>>
}

/** @param name empty: the context does not say which function it is */
function contextOf(name: string): Context {
  const { functionName: _name, invokedFunctionArn: _arn, ...unnamed } = lambdaContext()
  return name === ''
    ? (unnamed as Context)
    : { ...unnamed, functionName: name, invokedFunctionArn: ARN + name }
}

/** Functions that share a table, and run the first stage of a flow named `trip` unless they say so. */
function table() {
  const clock = fakeClock()
  const store = memoryStore()
  const queueDouble = openQueueDouble(clock.now)
  const sqs = queueDouble.client as SQSClient
  const runs: string[] = []
  const lambda =
    (name: string, options: Options = {}) =>
    async (queue: string, id: string, { at = 0, fails, attributes }: Sent = {}) => {
      const common = { name: 'trip', store, clock, clients: { sqs }, logger: quietLogger() }
      const flow = defineFlow({ ...common, key: ({ key }) => key, stages, ...options })
      const handler = flow.stageHandler('book', (booking) => {
        runs.push(`${name} ${id}`)
        if (booking.fails) throw new TerminalError('broken')
      })
      const record = sqsRecord(
        { key: 'k', ...(fails && { fails }) },
        {
          queueArn: queueArn(queue),
          sentAt: clock.now() - 10_000 + at,
          attributes: { uniquerequestid: id, ...attributes },
        },
      )
      return handler(sqsEvent(record), contextOf(name))
    }
  const dead = queueDouble.queue('dead-letters').messages
  const attributeOfDead = (nth: number): string => {
    const deadLetter = dead[nth]
    return (deadLetter && attributeOf(deadLetter.message, 'lineclear')) ?? 'no dead letter'
  }
  return { lambda, runs, store, dead, attributeOfDead }
}

describe.each(['newest', 'every'] as const)('two flows of one name (process %s)', (process) => {
  it('the second one to receive a request dead-letters it, and loses nothing', async () => {
    const { lambda, runs, dead, attributeOfDead } = table()
    await lambda('orders-api', { process })('orders', 'r')
    const answer = await lambda('mailer', { process })('mail', 'r')
    expect(answer).toEqual({ batchItemFailures: [] })
    expect([runs, dead.length]).toEqual([['orders-api r'], 1])
    expect(attributeOfDead(0)).toContain('"reason":"conflict"')
    expect(attributeOfDead(0)).toContain('another name')
  })

  it('the second one runs redriven dead letters once it has another name, and none before', async () => {
    const { lambda, runs, dead, attributeOfDead } = table()
    await lambda('orders-api', { process })('orders', 'r')
    await lambda('mailer', { process })('mail', 'r')
    for (const nth of [0, 1]) {
      await lambda('mailer', { process })('mail', 'r', {
        attributes: { lineclear: attributeOfDead(nth) },
      })
    }
    expect([runs, dead.length]).toEqual([['orders-api r'], 3])
    const attributes = { lineclear: attributeOfDead(2) }
    await lambda('mailer', { process, name: 'mail' })('mail', 'r', { attributes })
    expect(runs).toEqual(['orders-api r', 'mailer r'])
  })

  it('the second one runs requests of its own, and then the first one loses nothing', async () => {
    const { lambda, runs, dead } = table()
    await lambda('orders-api', { process })('orders', 'r1')
    await lambda('mailer', { process })('mail', 'r2', { at: 1 })
    await lambda('orders-api', { process })('orders', 'r2', { at: 1 })
    expect([runs, dead.length]).toEqual([['orders-api r1', 'mailer r2'], 1])
  })

  it('a request that died in the other one is not dropped', async () => {
    const { lambda, dead, attributeOfDead } = table()
    await lambda('orders-api', { process })('orders', 'r', { fails: true })
    await lambda('mailer', { process })('mail', 'r', { fails: true })
    expect(dead).toHaveLength(2)
    expect(attributeOfDead(1)).toContain('"reason":"conflict"')
  })

  it.each([
    ['one function that reads two queues', 'a', 'q2'],
    ['an alias of the function', 'a:live', 'q2'],
    ['a version of the function', 'a:7', 'q2'],
    ['a function in its place, at the same queue', 'b', 'q1'],
  ] as const)('%s is the same flow: a duplicate is dropped', async (_, name, queue) => {
    const { lambda, runs, dead } = table()
    await lambda('a', { process })('q1', 'r')
    await lambda(name, { process })(queue, 'r')
    expect([runs, dead]).toEqual([['a r'], []])
  })

  it('a copy continues on the queue that it is moved to', async () => {
    const { lambda, runs, dead } = table()
    await lambda('a', { process })('q1', 'r')
    const lineclear = '{"format":1,"resendNumber":1,"hops":1,"consumer":"trip.book"}'
    await lambda('b', { process })('q2', 'r', { attributes: { lineclear } })
    expect([runs, dead]).toEqual([['a r'], []])
  })

  it('the dead letter of a run continues on the queue that it is moved to', async () => {
    const { lambda, runs, attributeOfDead } = table()
    await lambda('a', { process })('q1', 'r', { fails: true })
    await lambda('b', { process })('q2', 'r', {
      fails: true,
      attributes: { lineclear: attributeOfDead(0) },
    })
    expect(runs).toEqual(['a r', 'b r'])
  })

  it('a record that names no queue fits every flow of the name', async () => {
    const { lambda, runs, dead, store } = table()
    await lambda('', { process })('q1', 'r')
    expect(store.items()[0]).not.toHaveProperty('by')
    await lambda('b', { process })('q2', 'r')
    expect([runs, dead]).toEqual([[' r'], []])
  })
})

it('an older request is not dropped for a newer one of the other flow', async () => {
  const { lambda, runs, attributeOfDead } = table()
  await lambda('orders-api')('orders', 'r2', { at: 1 })
  await lambda('mailer')('mail', 'r1')
  expect(runs).toEqual(['orders-api r2'])
  expect(attributeOfDead(0)).toContain('"reason":"conflict"')
})
