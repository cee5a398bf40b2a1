import type { Context, SQSEvent } from 'aws-lambda'
import { recordHandler, type SqsHandler, snsTopic } from 'lineclear'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { memoryCloud, memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { untilQuiet } from '../../examples/quiet.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

/** A FIFO topic feeds a FIFO queue with its notifications, one with raw messages, and a standard queue. */
const DESCRIPTION = {
  queues: { 'mail.fifo': {}, 'ledger.fifo': {}, stats: {} },
  topics: {
    'paid.fifo': {
      subscriptions: [
        { queue: 'mail.fifo' },
        { queue: 'ledger.fifo', raw: true },
        { queue: 'stats' },
      ],
    },
  },
}
const SUBSCRIBED = ['mail.fifo', 'ledger.fifo', 'stats'] as const
type Name = (typeof SUBSCRIBED)[number]
/** Two groups whose messages are published alternately. */
const PAID = ['a1', 'b1', 'a2', 'b2', 'a3'] as const

type Given = Pick<Parameters<typeof recordHandler>[0], 'clients' | 'store' | 'clock'>

interface Run {
  readonly id: string
  readonly name: string
  readonly group: string | undefined
}

function consumers(given: Given, topicArn: string) {
  const logger = quietLogger()
  const ran: Record<Name, Run[]> = { 'mail.fifo': [], 'ledger.fifo': [], stats: [] }
  const event = sqsEvent('{}')
  /**
   * Publishes each payload in the group of its first letter. A second attempt, which knows nothing of the first, publishes all
   * of them again.
   */
  const publishTwice = async (): Promise<void> => {
    for (const store of [memoryStore(), memoryStore()]) {
      const publisher = recordHandler(
        { ...given, store, name: 'orders', logger },
        async (_, ctx) => {
          for (const name of PAID) {
            await ctx.publish(topicArn, { name }, { groupId: name.slice(0, 1), name })
          }
        },
      )
      await publisher(event, lambdaContext())
    }
  }
  const handlers = SUBSCRIBED.map((queue) => {
    let group: string | undefined
    const handler = recordHandler(
      { ...given, name: queue, logger, envelopes: [snsTopic(topicArn)], retry: { delay: 0 } },
      (payload, ctx) => {
        const { name } = payload as { name: string }
        ran[queue].push({ id: ctx.uniqueRequestId, name, group })
        // A notification is retried, too: the order of its group must not change.
        if (name === 'a2' && ctx.attempt === 1) throw new Error('not now')
      },
    )
    const noted: SqsHandler = (event: SQSEvent, context: Context) => {
      group = event.Records[0]?.attributes.MessageGroupId
      return handler(event, context)
    }
    return [queue, noted] as const
  })
  return { publishTwice, handlers: Object.fromEntries(handlers), ran }
}

function expectOrder(ran: Readonly<Record<Name, readonly Run[]>>): void {
  for (const queue of SUBSCRIBED) {
    const names = ran[queue].map(({ name }) => name)
    expect([queue, names.toSorted()]).toEqual([queue, ['a1', 'a2', 'a2', 'a3', 'b1', 'b2']])
    const ids = new Map(ran[queue].map(({ name, id }) => [name, id]))
    expect(new Set(ids.values()).size).toBe(PAID.length)
    expect(ids).toEqual(new Map(ran.stats.map(({ name, id }) => [name, id])))
  }
  for (const queue of ['mail.fifo', 'ledger.fifo'] as const) {
    for (const group of ['a', 'b']) {
      const inGroup = ran[queue].filter(({ name }) => name.startsWith(group))
      const names = inGroup.map(({ name }) => name)
      expect([queue, names]).toEqual([queue, names.toSorted()])
      expect(new Set(inGroup.map((run) => run.group))).toEqual(new Set([group]))
    }
  }
}

describe('what a handler publishes to a FIFO topic', () => {
  it('runs once at each subscriber, in the order of its group: in memory', async () => {
    const cloud = memoryCloud(DESCRIPTION)
    const { store, clients, clock } = cloud
    const given = { store, clients, clock }
    const { publishTwice, handlers, ran } = consumers(given, cloud.topicArn('paid.fifo'))
    await publishTwice()
    // One message in a delivery, so that its group is known.
    while (SUBSCRIBED.some((queue) => cloud.messages(queue).length > 0)) {
      for (const queue of SUBSCRIBED) {
        const handler = handlers[queue]
        if (handler !== undefined) await cloud.deliver(queue, handler, { batchSize: 1 })
      }
      cloud.clock.advance(1_000)
    }
    expectOrder(ran)
    // A FIFO topic gives a standard queue no group.
    expect(new Set(ran.stats.map(({ group }) => group))).toEqual(new Set([undefined]))
    expect(cloud.published('paid.fifo')).toHaveLength(PAID.length)
  })

  it('runs once at each subscriber, in the order of its group: on the local cloud', async () => {
    await using cloud = await startLocalCloud(DESCRIPTION, { logger: quietLogger() })
    const { sqs, sns } = cloud
    const given = { clients: { sqs, sns }, store: memoryStore() }
    const { publishTwice, handlers, ran } = consumers(given, cloud.topicArn('paid.fifo'))
    await publishTwice()
    const mappings = Object.entries(handlers).map(([queue, handler]) =>
      mapQueue({ cloud, queue, handler, batchSize: 1, logger: quietLogger() }),
    )
    await untilQuiet(mappings)
    expectOrder(ran)
  })
})

it('a standard topic passes the group on to a standard queue, where it names a tenant', () => {
  const cloud = memoryCloud({
    queues: { stats: {} },
    topics: { paid: { subscriptions: [{ queue: 'stats' }] } },
  })
  cloud.publish('paid', {}, { groupId: 'tenant-1' })
  expect(cloud.messages('stats')).toMatchObject([{ groupId: 'tenant-1' }])
})
