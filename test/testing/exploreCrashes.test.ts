import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import {
  ConfigError,
  defineFlow,
  idempotent,
  lockTokens,
  newerThan,
  onceForever,
  recordHandler,
  type RecordContext,
  type HandlerResult,
} from 'lineclear'
import {
  type CrashCloud,
  type CrashOptions,
  exploreCrashes,
  sqsRecord,
  type Anomaly,
} from 'lineclear/testing'
import type {
  Item,
  StoreKey as ItemKey,
  Store,
  WriteOutcome,
} from '../../src/library/protocol/store/store.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isProof, sampled } from '../proof/depth.ts'
import { ALL, isDeep, SOME } from './crashes/deep.ts'

interface Order {
  readonly orderId: string
}
const ORDER: Order = { orderId: 'o1' }
const Key = { id: 'all' }

type Work = (order: Order, ctx: RecordContext, cloud: CrashCloud) => HandlerResult

function consumer(work: Work): (cloud: CrashCloud) => ReturnType<typeof recordHandler> {
  return (cloud) => {
    const { store, clients, clock, logger } = cloud
    return recordHandler(
      { name: 'orders', store, clients, clock, logger, retry: { maxAttempts: 3 } },
      (order, ctx) => work(order as Order, ctx, cloud),
    )
  }
}

const SOUND = { lost: 0, doubled: 0, stale: 0, stuck: 0, finding: undefined }

describe('right handlers pass', () => {
  const RIGHT: readonly (readonly [string, Work])[] = [
    ['a sum', (_, ctx) => ctx.write('sum', { TableName: 't', Key, add: { n: 1 } })],
    [
      'a call that carries its key',
      (_, ctx, { outside }) =>
        ctx.call('charge', ({ idempotencyKey }) => outside('charge', { idempotencyKey })),
    ],
    ['a message', (_, ctx, { queueUrl }) => ctx.send(queueUrl('paid'), { paid: true })],
    [
      'a guarded write',
      (_, ctx) =>
        ctx.write('paid', {
          TableName: 't',
          Key,
          set: { state: 'paid' },
          guard: newerThan('paidAt', ctx.sentAt),
        }),
    ],
    [
      'all of an order',
      async (_, ctx, { outside, topicArn }) => {
        await ctx.write('reserve', { TableName: 'stock', Key, add: { reserved: 1 } })
        const receipt = await ctx.call('charge', ({ idempotencyKey }) =>
          outside('charge', { idempotencyKey }),
        )
        await ctx.publish(topicArn('paid'), { receipt })
      },
    ],
  ]
  it.each(isProof ? RIGHT : RIGHT.slice(1, 3))('%s', async (_, work) => {
    const report = await exploreCrashes(consumer(work), ORDER, { together: 1 })
    expect(report.text).toMatch(/nothing lost, doubled, stale or stuck/)
    expect(report).toMatchObject({ ...SOUND, complete: true })
    expect(report.schedules).toBeGreaterThan(15)
  })
})

const seen = new Set<string>()
let calls = 0

describe('wrong handlers are found', () => {
  const WRONG: readonly (readonly [string, Anomaly, Work])[] = [
    ['an effect outside ctx', 'doubled', (_, _ctx, { outside }) => outside('charge')],
    [
      'a new key for each attempt',
      'doubled',
      (_, ctx, { outside }) =>
        outside('charge', { idempotencyKey: `${ctx.uniqueRequestId}/${(calls += 1)}` }),
    ],
    [
      'the number of the attempt in a key',
      'doubled',
      (_, ctx, { outside }) => outside('charge', { idempotencyKey: `o1/${ctx.attempt}` }),
    ],
    [
      'an effect that is not awaited',
      'lost',
      (_, _ctx, { outside }) => {
        outside('charge', { idempotencyKey: 'o1' }).catch(() => {})
      },
    ],
    [
      'an error that is swallowed',
      'lost',
      async (_, ctx, { outside }) => {
        await ctx
          .call('charge', ({ idempotencyKey }) => outside('charge', { idempotencyKey }))
          .catch(() => {})
      },
    ],
    [
      'a plain client of SQS',
      'doubled',
      (_, _ctx, { clients, queueUrl }) =>
        clients.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('paid'), MessageBody: '{}' })),
    ],
    [
      'a name that is another one in each attempt',
      'doubled',
      (_, ctx) => ctx.write(`sum ${ctx.attempt}`, { TableName: 't', Key, add: { n: 1 } }),
    ],
    [
      'a memory for duplicates in the process',
      'lost',
      async ({ orderId }, ctx, { outside }) => {
        if (seen.has(ctx.uniqueRequestId)) return
        seen.add(ctx.uniqueRequestId)
        await outside('charge', { idempotencyKey: orderId })
      },
    ],
    [
      'a mark before the effect',
      'lost',
      async ({ orderId }, ctx, { outside }) => {
        const row = await ctx.get({ TableName: 'marks', Key })
        if (row !== undefined) return
        await ctx.write('mark', { TableName: 'marks', Key, put: { done: true } })
        await outside('charge', { idempotencyKey: orderId })
      },
    ],
    [
      'the number of the attempt in the data',
      'stale',
      (_, ctx) => ctx.write('row', { TableName: 't', Key, put: { attempt: `nr ${ctx.attempt}` } }),
    ],
  ]
  it.each(sampled(WRONG, 3))('%s: %s', async (_, anomaly, work) => {
    const report = await exploreCrashes(consumer(work), ORDER)
    expect(report.finding?.anomaly).toBe(anomaly)
    expect(report[anomaly]).toBeGreaterThan(0)
    expect(report.trace).not.toEqual([])
  })
})

const Booking = z.object({ key: z.string() })
type Stage = (key: string, ctx: RecordContext, cloud: CrashCloud) => HandlerResult

/** Two stages; the second one is the last. */
function flow(first: Stage, second: Stage, handsOn: 'by ctx' | 'by SQS' = 'by ctx') {
  return (cloud: CrashCloud) => {
    const { store, clients, clock, logger, queueUrl } = cloud
    const trip = defineFlow({
      name: 'trip',
      store,
      clients,
      clock,
      logger,
      key: ({ key }) => key,
      stages: {
        book: { schema: Booking, queueUrl: queueUrl('book') },
        ship: { schema: Booking, queueUrl: queueUrl('ship'), final: true },
      },
    })
    return {
      book: trip.stageHandler('book', async ({ key }, ctx) => {
        await first(key, ctx, cloud)
        const MessageBody = JSON.stringify({ key })
        if (handsOn === 'by ctx') await ctx.next('ship', { key })
        else
          await clients.sqs.send(
            new SendMessageCommand({ QueueUrl: queueUrl('ship'), MessageBody }),
          )
      }),
      ship: trip.stageHandler('ship', ({ key }, ctx) => second(key, ctx as never, cloud)),
    }
  }
}

const summing =
  (name: string): Stage =>
  (_, ctx) =>
    ctx.write(name, { TableName: 't', Key, add: { [name]: 1 } })

describe('flows', () => {
  const passes = async (options: CrashOptions) => {
    const two = flow(summing('seats'), summing('tickets'))
    const report = await exploreCrashes(two, { key: 'k' }, options)
    expect(report.text).toMatch(/nothing lost/)
    expect(report).toMatchObject(SOUND)
    return report
  }

  it.each(isProof ? [1] : [])('of two stages pass, %d invocation at a time', async (together) => {
    expect(await passes({ together })).toMatchObject({ complete: true })
  })

  it(`of two stages pass, in ${isDeep ? 'all' : SOME} schedules side by side`, async () => {
    const { complete } = await passes({ limit: isDeep ? ALL : SOME })
    expect(complete).toBe(isDeep)
  })

  it('that reset before their last effect are found', async () => {
    const early: Stage = async (_, ctx, { outside }) => {
      await (ctx as unknown as { reset(): Promise<void> }).reset()
      await outside('ticket', { idempotencyKey: 'k' })
    }
    const report = await exploreCrashes(flow(summing('seats'), early), { key: 'k' })
    expect(report.finding?.anomaly).toBe('lost')
  })

  it('that hand on by a client of their own are found', async () => {
    const made = exploreCrashes(flow(summing('seats'), summing('tickets'), 'by SQS'), { key: 'k' })
    await expect(made).rejects.toThrow(/even without faults .*this one does not say to which run/)
  })
})

describe('functions', () => {
  const paying =
    (work: (cloud: CrashCloud, order: Order) => Promise<unknown>) => (cloud: CrashCloud) => {
      const { store, clock, logger } = cloud
      return idempotent(
        {
          store,
          clock,
          logger,
          name: 'pay',
          waitForOther: 0,
          key: (order: Order) => order.orderId,
        },
        (order: Order) => work(cloud, order),
      )
    }

  it('that carry their key pass', async () => {
    const pay = paying(({ outside }, { orderId }) => outside('charge', { idempotencyKey: orderId }))
    const report = await exploreCrashes(pay, ORDER, { as: 'function' })
    expect(report.text).toMatch(/nothing lost/)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('that wait for each other pass', async () => {
    const report = await exploreCrashes(
      ({ store, clock, logger, outside }) =>
        idempotent(
          {
            store,
            clock,
            logger,
            name: 'pay',
            waitForOther: '1s',
            key: (order: Order) => order.orderId,
          },
          ({ orderId }: Order) => outside('charge', { idempotencyKey: orderId }),
        ),
      ORDER,
      { as: 'function', limit: isProof ? 1_000 : 200 },
    )
    expect(report).toMatchObject(SOUND)
  })

  it('whose call carries none are found', async () => {
    const pay = paying(({ outside }) => outside('charge'))
    const report = await exploreCrashes(pay, ORDER, { as: 'function' })
    expect(report.finding).toMatchObject({ anomaly: 'doubled', what: /call 'charge': 2 times/ })
  })
})

describe('keys', () => {
  it('taken for ever queue their event once, whichever attempt dies', async () => {
    const report = await exploreCrashes(
      ({ store, clients, clock, logger, queueUrl }) =>
        (order: Order) =>
          onceForever({ store, name: 'default', clients, clock, logger }).thenEnqueue(
            order.orderId,
            order,
            {
              queueUrl: queueUrl('events'),
            },
          ),
      ORDER,
      { as: 'function' },
    )
    expect(report.text).toMatch(/nothing lost/)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('acquired without an event lose the work of an attempt that dies', async () => {
    const report = await exploreCrashes(
      ({ store, clients, clock, logger, outside }) =>
        async ({ orderId }: Order) => {
          const isFirst = await onceForever({
            store,
            name: 'default',
            clients,
            clock,
            logger,
          }).acquire(orderId)
          if (isFirst) await outside('charge', { idempotencyKey: orderId })
        },
      ORDER,
      { as: 'function' },
    )
    expect(report.finding?.anomaly).toBe('lost')
  })

  it('held by hand are ended by their holder, and by no other attempt', async () => {
    const report = await exploreCrashes(
      ({ store, clock, logger, outside }) =>
        async ({ orderId }: Order, context: Context) => {
          const lock = await lockTokens({ store, name: 'default', clock, logger }).begin(
            orderId,
            context,
            1_000,
          )
          if (lock.existing?.status === 'complete') return
          if (lock.existing !== undefined) throw new Error('not yet')
          await lock.endWithSuccess(await outside('charge', { idempotencyKey: orderId }))
        },
      ORDER,
      { as: 'function' },
    )
    expect(report.text).toMatch(/nothing lost/)
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })
})

describe('the framework itself is explored with the handler', () => {
  const sum: Work = (_, ctx) => ctx.write('n', { TableName: 't', Key, add: { n: 1 } })
  const REMOVED: readonly (readonly [string, Anomaly, (store: Store) => Store])[] = [
    [
      'effects that check no claim',
      'doubled',
      (store) => ({
        ...store,
        transact: (claim, write) => store.transact({ ...claim, where: [] }, write),
      }),
    ],
    [
      'claims over whatever stands there',
      'doubled',
      (store) => ({
        ...store,
        create: (items) => Promise.all(items.map((item) => claimed(store, item))),
      }),
    ],
  ]
  it.each(REMOVED)('%s: %s', async (_, anomaly, remove) => {
    const report = await exploreCrashes(
      (cloud) => consumer(sum)({ ...cloud, store: remove(cloud.store) }),
      ORDER,
    )
    expect(report[anomaly]).toBeGreaterThan(0)
  })

  async function claimed(store: Store, { pk, sk, ...item }: Item & ItemKey): Promise<WriteOutcome> {
    const [created] = await store.create([{ pk, sk, ...item }])
    if (created?.kind !== 'refused') return created ?? { kind: 'failed', error: new Error('none') }
    const [over] = await store.update([
      { key: { pk, sk }, where: [], set: item as never, remove: ['applied'] },
    ])
    return over ?? created
  }
})

describe('a report', () => {
  const wrong = consumer((_, _ctx, { outside }) => outside('charge'))

  it('describes the smallest failing schedule in words, and its seed runs it again', async () => {
    const report = await exploreCrashes(wrong, ORDER)
    expect(report.text).toContain("doubled: call 'charge': 2 times, 1 without faults")
    expect(report.text).toContain(`seed: '${report.seed}'`)
    expect(report.trace[0]).toBe('A receives m1 from records')
    const again = await exploreCrashes(wrong, ORDER, { seed: report.seed ?? '' })
    expect(again).toMatchObject({ schedules: 1, finding: report.finding, trace: report.trace })
    const repaired = consumer((_, ctx, { outside }) =>
      ctx.call('charge', ({ idempotencyKey }) => outside('charge', { idempotencyKey })),
    )
    expect(await exploreCrashes(repaired, ORDER, { seed: report.seed ?? '' })).toMatchObject(SOUND)
  })

  it('says that there are more schedules than the limit', async () => {
    const sum = consumer((_, ctx) => ctx.write('n', { TableName: 't', Key, add: { n: 1 } }))
    const report = await exploreCrashes(sum, ORDER, { limit: 20 })
    expect(report).toMatchObject({ ...SOUND, schedules: 20, complete: false })
    expect(report.text).toContain('20 schedules, then the limit was reached')
  })

  it('is of the record as it is given, and of the ones behind it', async () => {
    const record = sqsRecord(ORDER, { attributes: { uniquerequestid: 'mine' } })
    const ids = new Set<string>()
    const report = await exploreCrashes(
      consumer((_, ctx) => {
        ids.add(ctx.uniqueRequestId)
        return ctx.write('n', { TableName: 't', Key, add: { n: 1 } })
      }),
      record,
      { also: [{ orderId: 'o2' }], faults: 0 },
    )
    expect(report).toMatchObject(SOUND)
    expect([...ids]).toEqual(['mine', 'm2'])
  })

  it.each([
    [{ faults: 9 }, 'faults: expected a whole number from 0 to 3; got 9'],
    [{ together: 0 }, 'together: expected a whole number from 1 to 4; got 0'],
    [{ limit: 0.5 }, 'limit: expected a whole number, 1 or more; got 0.5'],
    [{ as: 'both' as never }, "as: expected 'records' or 'function' or 'invocation'; got \"both\""],
    [{ seed: 'x' }, 'seed: expected the seed of a report; got "x"'],
  ])('is not made with %j', async (options, message) => {
    const made = exploreCrashes(wrong, ORDER, options)
    await expect(made).rejects.toThrow(ConfigError)
    await expect(made).rejects.toThrow(message)
  })

  it('is refused when no schedule has run one of several handlers', async () => {
    const made = exploreCrashes(({ store, clients, clock, logger, busArn }) => {
      const common = { store, clients, clock, logger }
      const names = { source: 'my.shop', detailType: 'Placed' }
      return {
        orders: recordHandler({ ...common, name: 'orders' }, async (_, ctx) => {
          await ctx.publish(busArn('shop'), {}, names)
        }),
        mails: recordHandler({ ...common, name: 'mails' }, () => {}),
      }
    }, ORDER)
    await expect(made).rejects.toThrow(/no schedule has run the handler of mails/)
  })

  it('is refused when an outside system gets its key as a text', async () => {
    const made = exploreCrashes(
      ({ store, clients, clock, logger, outside }) =>
        recordHandler({ name: 'o', store, clients, clock, logger }, async (_, ctx) => {
          await ctx.call('charge', ({ idempotencyKey }) =>
            outside('charge', idempotencyKey as never),
          )
        }),
      ORDER,
    )
    await expect(made).rejects.toThrow(/expected the key as \{ idempotencyKey \}/)
  })

  it('is refused when the schema refuses the record, or the handler fails before its first effect', async () => {
    const refusing = ({
      store,
      clients,
      clock,
      logger,
    }: CrashCloud): ReturnType<typeof recordHandler> =>
      recordHandler(
        { name: 'o', store, clients, clock, logger, schema: z.object({ cents: z.int() }) },
        ({ cents }, ctx) => ctx.write('n', { TableName: 't', Key, add: { cents } }),
      )
    const made = exploreCrashes(refusing, ORDER)
    await expect(made).rejects.toThrow(ConfigError)
    await expect(made).rejects.toThrow(/m1 becomes a dead letter \(rejected: .*cents/)
    expect(await exploreCrashes(refusing, { cents: 1 }, { faults: 0 })).toMatchObject(SOUND)
    const broken = consumer(() => Promise.reject(new Error('no address')))
    const run = exploreCrashes(broken, ORDER)
    await expect(run).rejects.toThrow(/m1 becomes a dead letter \(exhausted: Error: no address\)/)
  })

  it.each([undefined, Date.UTC(2031, 4, 6)])('begins at the time %s', async (startAt) => {
    let now = 0
    const timed = consumer((_, ctx, { clock }) => {
      now = clock.now()
      return ctx.write('n', { TableName: 't', Key, add: { n: 1 } })
    })
    await exploreCrashes(timed, ORDER, { faults: 0, together: 1, ...(startAt && { startAt }) })
    expect(now).toBe(startAt ?? Date.UTC(2026, 0, 1))
  })
})
