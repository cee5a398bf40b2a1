import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { type CrashCloud, exploreCrashes, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { isProof } from '../../proof/depth.ts'
import { consumerOf, Key, type Order, SOUND, type Work } from './consumerOf.ts'

const [FIRST, SECOND]: readonly Order[] = [
  { orderId: 'o1', state: 1 },
  { orderId: 'o2', state: 2 },
]
const BOTH = { also: [SECOND], batch: 2, together: 1 } as const

const fifo = (work: Work) => (cloud: CrashCloud) => ({ 'orders.fifo': consumerOf(work)(cloud) })

describe('a FIFO queue', () => {
  it.each(isProof ? [1, 2] : [2])(
    'keeps the order of a group, %d at a time: sound',
    async (batch) => {
      const right = fifo(({ state = 0 }, ctx) =>
        ctx.write('state', { TableName: 't', Key, set: { state } }),
      )
      const report = await exploreCrashes(right, FIRST, { ...BOTH, batch })
      expect(report.text).toMatch('nothing lost')
      expect(report).toMatchObject({ ...SOUND, complete: true })
    },
  )

  it('keeps it with a second invocation beside', async () => {
    const right = fifo(({ state = 0 }, ctx) =>
      ctx.write('state', { TableName: 't', Key, set: { state } }),
    )
    const report = await exploreCrashes(right, FIRST, {
      also: [SECOND],
      limit: isProof ? 1_000 : 200,
    })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject(SOUND)
  })

  it('keeps none between groups: stale', async () => {
    const wrong = fifo(({ state = 0 }, ctx) =>
      ctx.write('state', { TableName: 't', Key, set: { state } }),
    )
    const [one, two] = [FIRST, SECOND].map((order, at) => sqsRecord(order, { fifoGroup: `g${at}` }))
    const { finding } = await exploreCrashes(wrong, one, { also: [two], faults: 0 })
    expect(finding?.anomaly).toBe('stale')
  })

  it('takes what is sent to it once, and in order: sound', async () => {
    const right = fifo((order, ctx, { queueUrl }) =>
      ctx.send(queueUrl('out.fifo'), order, { groupId: 'g' }),
    )
    const report = await exploreCrashes(right, FIRST, BOTH)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })
})

interface Ways {
  /** Continues past a record that failed, as on a queue without order. */
  readonly goesOn?: boolean
  readonly idOf?: (order: Order) => string
  /** Its receiver gets the id, and accepts it once, at any time. */
  readonly stamps?: boolean
}

/** Sends each record on. */
function handingOn({ goesOn = false, idOf = (o) => o.orderId, stamps = true }: Ways = {}) {
  return ({ clients, queueUrl }: CrashCloud) => ({
    'orders.fifo': async ({ Records }: SQSEvent) => {
      const failed: string[] = []
      for (const { body, messageId } of Records) {
        const id = idOf(JSON.parse(body) as Order)
        const entry = {
          QueueUrl: queueUrl('out.fifo'),
          MessageBody: body,
          MessageGroupId: 'g',
          MessageDeduplicationId: id,
          MessageAttributes: stamps
            ? { uniquerequestid: { DataType: 'String', StringValue: id } }
            : {},
        }
        if (failed.length > 0 && !goesOn) failed.push(messageId)
        else
          await clients.sqs.send(new SendMessageCommand(entry)).catch(() => failed.push(messageId))
      }
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) }
    },
  })
}

describe('a handler of a FIFO queue by hand', () => {
  it('that stops at what failed: sound', async () => {
    const report = await exploreCrashes(handingOn(), FIRST, BOTH)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('that continues past a failed record: the order of its group is broken', async () => {
    const { finding, trace } = await exploreCrashes(handingOn({ goesOn: true }), FIRST, BOTH)
    expect(finding?.anomaly).toBe('stale')
    expect(finding?.what).toMatch(
      /^the group g of out.fifo arrived as .*o2.*o1.* without faults .*o1/,
    )
    expect(trace).toContain('A ends: m1 to stay on the queue, m2 acknowledged')
  })

  it('that relies on the five minutes of deduplication: doubled', async () => {
    const report = await exploreCrashes(handingOn({ stamps: false }), FIRST, BOTH)
    expect(report.finding?.anomaly).toBe('doubled')
  })

  it('that sends under another id each time: doubled', async () => {
    let sent = 0
    const wrong = handingOn({ idOf: () => `${(sent += 1)}` })
    const { finding } = await exploreCrashes(wrong, FIRST, { ...BOTH, only: ['answer lost'] })
    expect(finding?.anomaly).toBe('doubled')
  })

  it.each([
    ['without a group', { MessageBody: '{}' }, 'MessageGroupId is missing'],
    ['with a delay', { MessageBody: '{}', MessageGroupId: 'g', DelaySeconds: 1 }, 'DelaySeconds'],
  ])('is refused what it sends %s', async (_, entry, message) => {
    const wrong =
      ({ clients, queueUrl }: CrashCloud) =>
      async () => {
        await clients.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('out.fifo'), ...entry }))
      }
    const { finding, trace } = await exploreCrashes(wrong, FIRST, { together: 1 })
    expect(finding?.anomaly).toBe('stuck')
    expect(trace[2]).toContain(message)
  })
})
