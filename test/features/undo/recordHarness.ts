import { SendMessageCommand } from '@aws-sdk/client-sqs'
import {
  compensate,
  type MadeEffect,
  type RecordContext,
  recordHandler,
  type RecordHandlerOptions,
  type Store,
  sweepHandler,
  TerminalError,
} from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import type { QueueMessage } from '../../../src/send/messenger.ts'
import { deliver, flowHarness, receive, sendCopy } from '../../flow/flowHarness.ts'
import { Order, stock } from './harness.ts'

interface OrderPlaced {
  readonly key: string
  readonly sku: string
}

interface Behaviour {
  readonly undoDead?: boolean
  /** The store of the handler. Default: that of the harness. */
  readonly through?: (store: Store) => Store
  /** What the handler does after its effects. Default: it fails for good, as long as `isBroken`. */
  readonly after?: (ctx: RecordContext, order: OrderPlaced) => unknown
  /** What each undo does before its own effect. */
  readonly before?: (made: MadeEffect, ctx: { send: RecordContext['send'] }) => unknown
  readonly options?: Partial<RecordHandlerOptions<typeof Order>>
}

/** Reserves and charges an order in one record, whose effects can be undone. */
export function orderRecords(cloud: LocalCloud, behaviour: Behaviour = {}) {
  const harness = flowHarness(cloud)
  const { clock, store } = harness
  const undone: MadeEffect[] = []
  const broken = { is: true }
  const options = {
    ...harness.options,
    store: behaviour.through?.(store) ?? store,
    name: 'orders',
    schema: Order,
    id: ({ key }: OrderPlaced) => key,
    retry: { delay: () => 0, maxAttempts: 2 },
    ...behaviour.options,
  }
  const undo = compensate(Order, {
    reserve: async ({ sku }, ctx, made) => {
      await behaviour.before?.(made, ctx)
      undone.push(made)
      await ctx.write('release', stock(sku, -1))
    },
    charge: async (_order, ctx, made) => {
      await behaviour.before?.(made, ctx)
      undone.push(made)
      await ctx.call('refund', () => `refund of ${String(made.answer)}`)
    },
    note: 'keep',
    done: 'keep',
  })
  const fail = (): void => {
    if (broken.is) throw new TerminalError('refused')
  }
  const handler = recordHandler(
    { ...options, undo, ...(behaviour.undoDead && { undoDead: true }) },
    async (order, ctx) => {
      await ctx.write('reserve', stock(order.sku, 1))
      await ctx.call('charge', () => `receipt of ${order.sku}`)
      await ctx.write('note', stock('notes', 1))
      await (behaviour.after ?? fail)(ctx, order)
      await ctx.write('done', stock('done', 1))
    },
  )
  const without = recordHandler(options, () => {
    throw new Error('ran')
  })
  const sweep = sweepHandler({
    store,
    clock,
    logger: harness.options.logger,
    clients: { sqs: cloud.sqs },
  })
  const messenger = awsMessenger({ sqs: cloud.sqs, sns: undefined, inMemory: undefined })
  const plan = (id = 'orders/r1') =>
    planDecision(`lock#${id}`, 'undo', {}, { reader: NO_READER, store, now: clock.now() })
  return {
    harness,
    handler,
    /** The same consumer without the option `undo`. */
    without,
    undone,
    broken,
    sweep,
    plan,
    names: () => undone.map(({ name }) => name),
    item: (pk: string, sk = 'token') =>
      store.items().find((item) => item['pk'] === pk && item['sk'] === sk),
    token: () => store.items().find(({ pk, sk }) => pk === 'lock#orders/r1' && sk === 'token'),
    place: (key: string, sku: string) =>
      cloud.sqs.send(
        new SendMessageCommand({
          QueueUrl: cloud.queueUrl('book'),
          MessageBody: JSON.stringify({ key, sku }),
        }),
      ),
    run: () => deliver(cloud, 'book', handler),
    /** The dead letter of the record, taken off its queue. */
    deadLetter: async () => {
      const [letter] = await receive(cloud, 'dead')
      if (letter === undefined) throw new Error('no dead letter')
      return letter
    },
    redrive: (letter: Parameters<typeof sendCopy>[2]) => sendCopy(cloud, 'book', letter),
    forge: (message: QueueMessage) => messenger.send(cloud.queueUrl('book'), [message]),
    /** Applies a plan of an operator. */
    apply: async (shown: Awaited<ReturnType<typeof plan>>) => {
      if (shown.kind !== 'change') throw new Error(shown.because)
      const operator = { by: 'me', why: 'wrong order', force: false, now: clock.now(), messenger }
      return applyPlan(store, shown, operator)
    },
    settle,
    /** The queue delays the first message of an undo in real time: the sweeper asks again. */
    later: async (): Promise<void> => {
      clock.advance(13 * 3_600_000)
      await sweep()
      await settle()
    },
  }

  /** Delivers whatever waits, with the sweeper, until nothing is left to do. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 6; round++) {
      await deliver(cloud, 'book', handler)
      clock.advance(120_000)
      await sweep()
    }
  }
}
