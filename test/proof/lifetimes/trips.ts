import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { defineFlow, type Settlement, sweepHandler } from 'lineclear'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { z } from 'zod'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import { DAY } from './days.ts'

const Booking = z.object({ key: z.string() })
const Quote = z.object({ quoteId: z.string(), price: z.number() })
const QUEUES = ['book', 'ship', 'quotes', 'dead'] as const
type Queue = (typeof QUEUES)[number]

export interface Trips {
  /** Whether the table deletes what has expired at once. */
  readonly deletes?: boolean
  readonly fifo?: boolean
  readonly process?: 'newest' | 'every'
  readonly retention?: '2d' | '30d'
  readonly grace?: '1s' | '3h'
  readonly ids?: readonly string[]
  readonly late?: boolean
  readonly timeout?: boolean
}

/** Bookings that ask for quotes and are shipped, in two deployments: in the second the step and its stages have other names. */
export function trips(given: Trips = {}) {
  const { deletes = true, fifo = false, ids = ['q1'], late = true, timeout = false } = given
  const nameOf = (queue: Queue): string => (fifo ? `${queue}.fifo` : queue)
  const letters = { deadLetter: { queue: nameOf('dead'), maxReceiveCount: 1_000 } }
  const cloud = memoryCloud({
    queues: Object.fromEntries(
      QUEUES.map((queue) => [nameOf(queue), queue === 'dead' ? {} : letters]),
    ),
  })
  const { clients, clock, logger } = cloud
  const store = memoryStore({ clock, deletesExpired: deletes })
  const settled: Settlement[] = []
  const log: unknown[] = []
  const fails = { ask: false, twice: false, book: false, quote: false, ship: false, late: false }
  const url = (queue: Queue): string => cloud.queueUrl(nameOf(queue))
  const deployed = (names: readonly [string, string, string], former: boolean) => {
    const [book, quote, ship] = names
    const was = (name: string) => (former ? { formerNames: [name] } : {})
    const flow = defineFlow({
      name: 'trip',
      key: ({ key }: { key: string }) => key,
      process: given.process ?? 'newest',
      retention: given.retention ?? '2d',
      giveUpAfter: '1d',
      retry: { delay: () => 0, maxAttempts: 2 },
      store,
      clients,
      clock,
      logger,
      onSettled: (settlement) => settled.push(settlement),
      stages: {
        [book]: { schema: Booking, queueUrl: url('book'), ...was('book') },
        [ship]: { schema: Booking, queueUrl: url('ship'), ...was('ship') },
      },
      awaitingSteps: {
        [quote]: {
          schema: Quote,
          id: ({ quoteId }: { readonly quoteId: string }) => quoteId,
          queueUrl: url('quotes'),
          grace: given.grace ?? '3h',
          ...was('quote'),
        },
      },
    })
    const onLate = ({ price }: { readonly price: number }): void => {
      if (fails.late) throw new Error('not now')
      log.push(['late', price])
    }
    return {
      flow,
      book: flow.stageHandler(book, async (_booking, ctx) => {
        if (fails.ask) throw new Error('not now')
        await ctx.awaitStep(quote as never, ids, () => {}, timeout ? { timeout: '10h' } : {})
        if (fails.twice) await ctx.awaitStep(quote as never, ids, () => {})
        if (fails.book) throw new Error('not now')
        log.push('book')
      }),
      quotes: flow.answerHandler(
        quote as never,
        async (_quote, ctx) => {
          if (fails.quote) throw new Error('not now')
          const answers = [...(ctx.answers as ReadonlyMap<string, { price: number }>)]
          log.push(answers.map(([id, { price }]) => `${id}=${price}`).toSorted())
          await ctx.next(ship as never, { key: ctx.key })
        },
        {
          onTimeout: () => log.push('timeout'),
          ...(late && { onLate }),
        },
      ),
      ship: flow.stageHandler(ship, () => {
        if (fails.ship) throw new Error('not now')
        log.push('ship')
      }),
    }
  }
  const deployments = {
    old: deployed(['book', 'quote', 'ship'], false),
    renamed: deployed(['take', 'bid', 'send'], true),
  }
  const deliver = (queue: Queue, handler: SqsHandler) => cloud.deliver(nameOf(queue), handler)
  const begun = clock.now()
  let sent = 0
  /** Sends a message as it is, as a copy or a redrive of SQS does. */
  const put = async (queue: Queue, { body, messageAttributes = {} }: Sent): Promise<void> => {
    const attributes = Object.entries(messageAttributes).map(([name, value]) => [
      name,
      { DataType: value.dataType, StringValue: value.stringValue },
    ])
    await clients.sqs.send(
      new SendMessageCommand({
        QueueUrl: url(queue),
        MessageBody: body,
        MessageAttributes: Object.fromEntries(attributes),
        ...(fifo && { MessageGroupId: 'g', MessageDeduplicationId: `d${(sent += 1)}` }),
      }),
    )
  }
  /** Takes all messages of a queue. */
  const take = async (queue: Queue): Promise<readonly Sent[]> => {
    const taken: Sent[] = []
    await deliver(queue, async ({ Records }) => {
      taken.push(...(Records as readonly Sent[]))
      return { batchItemFailures: [] }
    })
    return taken
  }
  return {
    ...deployments,
    cloud,
    clock,
    store,
    settled,
    log,
    fails,
    deliver,
    put,
    take,
    answer: (quoteId: string, price: number) =>
      put('quotes', { body: JSON.stringify({ quoteId, price }) }),
    redrive: async (to: Queue): Promise<number> => {
      const letters = await take('dead')
      for (const letter of letters) await put(to, letter)
      return letters.length
    },
    day: (n: number) => clock.set(begun + n * DAY),
    reasons: () => cloud.messages(nameOf('dead')).map(({ carried }) => carried['reason']),
    sweep: () => sweepHandler({ store, clients, clock, logger })(),
    record: () => store.items().find(({ sk }) => sk === 'stage'),
  }
}

export interface Sent {
  readonly body: string
  readonly messageAttributes?: Readonly<
    Record<string, { readonly dataType: string; readonly stringValue?: string | undefined }>
  >
}
