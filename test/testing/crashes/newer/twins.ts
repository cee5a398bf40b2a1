import { SendMessageCommand } from '@aws-sdk/client-sqs'
import {
  atLeast,
  defineFlow,
  idempotent,
  type RecordContext,
  recordHandler,
  storedDelays,
} from 'lineclear'
import type { CrashCloud, CrashOptions, Explored } from 'lineclear/testing'
import { FIRST, Order, SECOND } from './orders.ts'

/** A right handler and the same with one mistake, which a report has to name. */
export interface Twins {
  readonly title: string
  readonly build: (isRight: boolean) => (cloud: CrashCloud) => Explored
  readonly options?: CrashOptions
  /** Its mistake is found in a second. */
  readonly isCheap?: true
  /** What the report of the wrong one says. */
  readonly says: RegExp
}

/** Enough for these mistakes; with all faults a flow takes minutes. */
const FEW = ['answer lost', 'killed on the wire'] as const

type Work = (ctx: RecordContext, cloud: CrashCloud) => Promise<unknown>

function records(
  work: (isRight: boolean) => Work,
  more: (cloud: CrashCloud) => object = () => ({}),
) {
  return (isRight: boolean) => (cloud: CrashCloud) => {
    const { store, clients, clock, logger } = cloud
    const options = { name: 'orders', store, clients, clock, logger, ...more(cloud) }
    return recordHandler(options, async (_order, ctx) => {
      await work(isRight)(ctx, cloud)
    })
  }
}

const add = (id: string, n = 1) => ({ TableName: 'sums', Key: { id }, add: { n } }) as const

/** An outside system is asked, and its answer ends the run. */
const asking = (isRight: boolean) => (cloud: CrashCloud) => {
  const { store, clients, clock, logger, queueUrl, outside } = cloud
  const flow = defineFlow({
    name: 'trips',
    store,
    clients,
    clock,
    logger,
    key: ({ key }) => key,
    stages: { ask: { schema: Order, queueUrl: queueUrl('ask') } },
    awaitingSteps: { offer: { schema: Order, id: ({ key }) => key, queueUrl: queueUrl('offer') } },
  })
  return {
    ask: flow.stageHandler('ask', ({ key }, ctx) =>
      ctx.awaitStep('offer', key, async () => {
        await (isRight ? ctx.call('ask', (once) => outside('ask', once)) : outside('ask'))
        await ctx.send(queueUrl('airline'), { key })
      }),
    ),
    offer: flow.answerHandler('offer', (_, ctx) => ctx.write('offer', add('offers'))),
  }
}

export const TWINS: readonly Twins[] = [
  {
    title: 'write: an effect has one name in each attempt',
    isCheap: true,
    build: records(
      (isRight) => (ctx) => ctx.write(isRight ? 'reserve' : `reserve ${ctx.attempt}`, add('stock')),
    ),
    says: /doubled: the row sums/,
  },
  {
    title: 'delay: a reminder is sent through ctx',
    isCheap: true,
    build: records(
      (isRight) =>
        async (ctx, { clients, queueUrl }) => {
          const QueueUrl = queueUrl('reminders')
          if (isRight) await ctx.send(QueueUrl, {}, { delay: '24h' })
          else
            await clients.sqs.send(
              new SendMessageCommand({ QueueUrl, MessageBody: '{}', DelaySeconds: 900 }),
            )
        },
      () => ({ delays: storedDelays() }),
    ),
    says: /doubled: message to reminders/,
  },
  {
    title: 'tokens: the key of a call is that of its order',
    isCheap: true,
    build:
      (isRight) =>
      ({ store, clock, logger, outside }) => {
        const scope = { store, clock, logger, name: 'pay', waitForOther: 0 } as const
        const key = (): string => (isRight ? 'o1' : crypto.randomUUID())
        return idempotent({ ...scope, key }, () => outside('charge', { idempotencyKey: key() }))
      },
    options: { as: 'function' },
    says: /doubled: call 'charge'/,
  },
  {
    title: 'call: the key is passed on',
    build: records(
      (isRight) =>
        (ctx, { outside }) =>
          ctx.call('charge', (key) => (isRight ? outside('charge', key) : outside('charge'))),
    ),
    says: /doubled: call 'charge'/,
  },
  {
    title: 'outside calls: an awaited step asks under a name',
    build: asking,
    options: {
      only: ['answer lost'],
      answers: {
        airline: ({ key }: { readonly key: string }) => ({ offer: { key, quantity: 1 } }),
      },
    },
    says: /doubled: call 'ask'/,
  },
  {
    title: 'batch: what one message has read is not kept for the next one',
    build: (isRight) => (cloud) => {
      const { store, clients, clock, logger } = cloud
      const seen = new Set<string>()
      return recordHandler(
        { name: 'orders', store, clients, clock, logger },
        async (order, ctx) => {
          const { key } = order as { readonly key: string }
          if (!isRight && seen.has(key)) return
          seen.add(key)
          await ctx.write('count', add('all'))
        },
      )
    },
    options: { also: [SECOND], batch: 2, only: FEW },
    says: /the row sums/,
  },
  {
    title: 'parallel effects: each is named after its line',
    build: records((isRight) => (ctx, { outside }) => {
      let nth = 0
      const lines = ['a', 'b'].map(async (line) => {
        await outside(`price of ${line}`, { idempotencyKey: line })
        await ctx.write(isRight ? line : `line ${nth++}`, add(line))
      })
      return Promise.all(lines)
    }),
    options: { only: FEW },
    says: /the row sums/,
  },
  {
    title: 'offload: a large message says the same in each attempt',
    build: records(
      (isRight) =>
        (ctx, { queueUrl, clock }) =>
          ctx.send(
            queueUrl('out'),
            { at: isRight ? ctx.sentAt : clock.now(), text: 'x'.repeat(900) },
            { maxBytes: 600 },
          ),
      ({ offload }) => ({ offload }),
    ),
    says: /the id of .* stands for/,
  },
  {
    title: 'publish order: what is sent follows no answer',
    isCheap: true,
    build: records((isRight) => async (ctx, { outside, queueUrl }) => {
      const send = (line: string) =>
        ctx.send(queueUrl('out.fifo'), { line }, { groupId: 'g', name: line })
      const asked = ['a', 'b'].map(async (line) => {
        await outside(`price of ${line}`, { idempotencyKey: line })
        if (!isRight) await send(line)
      })
      await Promise.all(asked)
      if (isRight) for (const line of ['a', 'b']) await send(line)
    }),
    says: /stale: the group g of out\.fifo/,
  },
  {
    title: 'stock: what was decided is kept, not read again',
    build: records((isRight) => async (ctx, { queueUrl }) => {
      const sale = { ...add('stock', -1), guard: atLeast('n', 1) }
      const sold = isRight
        ? await ctx.call('sold', async () => (await ctx.write('sell', sale)).applied)
        : Number((await ctx.get({ TableName: 'sums', Key: { id: 'stock' } }))?.['n']) > 0
      if (!isRight && sold) await ctx.write('sell', sale)
      await ctx.send(queueUrl('mails'), { sold })
    }),
    options: { rows: { sums: [{ id: 'stock', n: 1 }] } },
    says: /message to mails/,
  },
  {
    title: 'publish: a topic is told through ctx',
    isCheap: true,
    build: records((isRight) => async (ctx, { clients, queueUrl, topicArn }) => {
      await ctx.write('count', add('all'))
      if (isRight) await ctx.publish(topicArn('paid'), { paid: true })
      else
        await clients.sqs.send(
          new SendMessageCommand({ QueueUrl: queueUrl('paid'), MessageBody: '{}' }),
        )
    }),
    says: /doubled: message to paid/,
  },
]

export { FIRST }
