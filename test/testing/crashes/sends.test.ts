import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { exploreCrashes, type Anomaly } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../proof/depth.ts'
import { consumerOf, Key, ORDER, type Work } from './consumerOf.ts'
import { hasCode } from '../../../src/library/base/errors.ts'

const row = { TableName: 't', Key } as const

/** Counts what is made in the process, over all its invocations. */
let made = 0

/** Each of them passes a review that looks at one run. */
const WRONG: readonly (readonly [string, Anomaly, RegExp, Work])[] = [
  [
    'names its effect by the clock',
    'doubled',
    /^the row t {"id":"all"} is .*"n":2}, without faults .*"n":1}$/,
    (_, ctx) => ctx.write(`sum ${Date.now()}`, { ...row, add: { n: 1 } }),
  ],
  [
    'takes a lost claim for a failure, and apologises',
    'doubled',
    /call 'apology': 1 times, 0 without faults/,
    async ({ orderId }, ctx, { outside }) => {
      await ctx.write('paid', { ...row, put: { paid: true } }).catch(async (error: unknown) => {
        if (hasCode(error, 'SUPERSEDED')) await outside('apology', { idempotencyKey: orderId })
        throw error
      })
    },
  ],
  [
    'makes an idempotency key anew in each attempt',
    'doubled',
    /call 'charge': 2 times, 1 without faults/,
    (_, ctx, { outside }) =>
      ctx.call('charge', () => outside('charge', { idempotencyKey: crypto.randomUUID() })),
  ],
  [
    'counts in its module',
    'doubled',
    /call 'charge': 2 times, 1 without faults/,
    (_, _ctx, { outside }) => outside('charge', { idempotencyKey: `${(made += 1)}` }),
  ],
  [
    'returns early when its row is there already',
    'lost',
    /message to paid: 0 times, 1 without faults/,
    async (_, ctx, { queueUrl }) => {
      if ((await ctx.get(row)) !== undefined) return
      await ctx.write('paid', { ...row, put: { paid: true } })
      await ctx.send(queueUrl('paid'), { paid: true })
    },
  ],
  [
    'refunds in a catch block',
    'doubled',
    /call 'refund': 1 times, 0 without faults/,
    ({ orderId: idempotencyKey }, _ctx, { outside }) =>
      outside('charge', { idempotencyKey }).catch(async (error: unknown) => {
        await outside('refund', { idempotencyKey })
        throw error
      }),
  ],
  [
    'sends under a name of its attempt',
    'doubled',
    /message to paid: 2 times, 1 without faults/,
    (_, ctx, { queueUrl }) =>
      ctx.send(queueUrl('paid'), { paid: true }, { name: `paid ${ctx.attempt}` }),
  ],
  [
    'publishes under a name of its attempt',
    'doubled',
    /message to paid: 2 times, 1 without faults/,
    (_, ctx, { topicArn }) =>
      ctx.publish(topicArn('paid'), { paid: true }, { name: `paid ${ctx.attempt}` }),
  ],
  [
    'sends in its first attempt only',
    'lost',
    /message to paid: 0 times, 1 without faults/,
    async (_, ctx, { queueUrl }) => {
      if (ctx.attempt === 1) await ctx.send(queueUrl('paid'), { paid: true })
    },
  ],
  [
    'sends its attempt in the payload',
    'lost',
    /message to paid: the id of {"attempt":1} stands for {"attempt":2} too/,
    (_, ctx, { queueUrl }) => ctx.send(queueUrl('paid'), { attempt: ctx.attempt }),
  ],
  [
    'sends the time in the payload',
    'lost',
    /message to paid: the id of {"at":\d+} stands for {"at":\d+} too/,
    (_, ctx, { queueUrl }) => ctx.send(queueUrl('paid'), { at: Date.now() }),
  ],
  [
    'sends in another order when it is tried again',
    'stale',
    /group g of out.fifo arrived as "b", "a", without faults "a", "b"/,
    async (_, ctx, { queueUrl }) => {
      const names = ctx.attempt === 1 ? ['a', 'b'] : ['b', 'a']
      for (const name of names) await ctx.send(queueUrl('out.fifo'), name, { name, groupId: 'g' })
    },
  ],
  [
    'numbers what it sends in another order when it is tried again',
    'lost',
    /message to out: the id of "a" stands for "b" too/,
    async (_, ctx, { queueUrl }) => {
      const names = ctx.attempt === 1 ? ['a', 'b'] : ['b', 'a']
      for (const name of names) await ctx.send(queueUrl('out'), name)
    },
  ],
  [
    'sends to another group when it is tried again',
    'stale',
    /message to out.fifo: "a" in group 2, without faults "a" in group 1/,
    (_, ctx, { queueUrl }) => ctx.send(queueUrl('out.fifo'), 'a', { groupId: `${ctx.attempt}` }),
  ],
  [
    'sends by a client of its own',
    'doubled',
    /message to paid: 2 times, 1 without faults/,
    (_, _ctx, { clients, queueUrl }) =>
      clients.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('paid'), MessageBody: '{}' })),
  ],
  [
    'sends because of what it reads and has itself changed',
    'lost',
    /message to first: 0 times, 1 without faults/,
    async (_, ctx, { queueUrl }) => {
      const before = await ctx.get(row)
      await ctx.write('sum', { ...row, add: { n: 1 } })
      if (before === undefined) await ctx.send(queueUrl('first'), { first: true })
    },
  ],
  [
    'sends what it reads and has itself changed',
    'lost',
    /message to sum: the id of {"n":0} stands for {"n":1} too/,
    async (_, ctx, { queueUrl }) => {
      const before = await ctx.get(row)
      await ctx.write('sum', { ...row, add: { n: 1 } })
      await ctx.send(queueUrl('sum'), { n: Number(before?.['n'] ?? 0) })
    },
  ],
]

describe('a handler that', () => {
  it.each(sampled(WRONG, 3))('%s is found: %s', async (_, anomaly, what, work) => {
    const wrong = consumerOf(work)
    const options = { together: what.source.includes('apology') ? 2 : 1 }
    const report = await exploreCrashes(wrong, ORDER, options)
    expect(report.finding?.what).toMatch(what)
    expect(report.finding?.anomaly).toBe(anomaly)
    expect(report.trace.length).toBeLessThan(20)
    const again = await exploreCrashes(wrong, ORDER, { ...options, seed: report.seed ?? '' })
    expect(again.finding?.anomaly).toBe(anomaly)
  })
})
