import {
  circuitBreaker,
  defineFlow,
  emfMetrics,
  type HandlerResult,
  idempotent,
  lockTokens,
  onceForever,
  type RecordContext,
  recordHandler,
  RejectedError,
  StaleError,
  sweepHandler,
  TerminalError,
} from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import { samplesIn, wentOff } from './cloudWatch.ts'
import { type Alarm, type Alarms, deployedAlarms } from './deployedAlarms.ts'

/*
 * The alarms of serverless.yml over half an hour of what the code reports: which of them go off, and how often. Alarms on metrics of AWS
 * itself (queues, functions, tables) do not take part.
 */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DEAD_QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead'
let alarms: Alarms
beforeAll(async () => {
  alarms = await deployedAlarms()
})

/** In memory, and reported as that of a table. */
function ofTable(store: Store, tableName = 'lineclear'): Store {
  const client = (): never => {
    throw new Error('there is no table')
  }
  return { ...store, source: { tableName, client } }
}

/** An account in which the sweeper runs each minute. */
function account() {
  const queue = { visibilityTimeout: 180, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }
  const cloud = memoryCloud({ queues: { orders: queue, validate: queue, dead: {} } })
  const { clients, clock, logger } = cloud
  const store = ofTable(cloud.store)
  const lines: string[] = []
  const metrics = emfMetrics({ clock, fieldsOnly: [], write: (line) => lines.push(line) })
  const from = clock.now()
  const sweep = sweepHandler({ store, clients, clock, logger, metrics, search: false })
  const call = { clock: { ...clock, sleep: async () => {} }, logger, metrics }
  return {
    ...cloud,
    store,
    consumer: {
      store,
      clients,
      clock,
      logger,
      metrics,
      deadLetterQueueUrl: cloud.queueUrl('dead'),
    },
    /** What keys have for options, and events. */
    call,
    names: () => samplesIn(lines).map(({ name }) => name),
    /** @param each what happens in each minute */
    async minutes(each: (minute: number) => unknown, most = 30): Promise<void> {
      for (let minute = 0; minute < most; minute += 1) {
        await each(minute)
        await sweep()
        clock.advance(MINUTE)
      }
    },
    off: (of: Alarms = alarms) => wentOff(of, samplesIn(lines), [from, clock.now()]),
  }
}

const fail = (error: Error) => (): never => {
  throw error
}
const stale = fail(new StaleError('the data are newer'))
const never = new Promise<never>(() => {})

/** In a function with a timeout of 30 seconds. */
const within30s =
  (handler: SqsHandler): SqsHandler =>
  (event, context) =>
    handler(event, { ...context, getRemainingTimeInMillis: () => 30 * SECOND })

type Work = (payload: unknown, ctx: RecordContext) => HandlerResult

async function ordersThat(work: Work, each = 1) {
  const given = account()
  const { consumer, send, deliver, minutes } = given
  const orders = recordHandler({ ...consumer, name: 'orders' }, work)
  await minutes(async (minute) => {
    for (let nth = 0; nth < each; nth += 1) send('orders', { minute, nth })
    await deliver('orders', orders)
  })
  return given
}

/** Each minute two requests for one key: the newer one takes over while the older one is at work. */
async function superseding() {
  const given = account()
  const { consumer, queueUrl, deliver, minutes, clock } = given
  const { deadLetterQueueUrl: _dead, ...parts } = consumer
  const checkout = defineFlow({
    ...parts,
    name: 'checkout',
    process: 'newest',
    onConflict: 'supersede',
    key: ({ key }) => key,
    stages: {
      validate: {
        schema: z.object({ key: z.string(), n: z.int() }),
        queueUrl: queueUrl('validate'),
        final: true,
      },
    },
  })
  const start = (key: string, n: number): Promise<unknown> =>
    checkout.start({ key, n }, { uniqueRequestId: `${key}-${n}`, sentAt: clock.now() - MINUTE + n })
  const validate: SqsHandler = checkout.stageHandler('validate', async ({ key, n }, ctx) => {
    if (n === 2) return
    await start(key, 2)
    await deliver('validate', validate)
    await ctx.write('cart', { TableName: 'carts', Key: { id: key }, put: { n } })
  })
  await minutes(async (minute) => {
    await start(`k${minute}`, 1)
    await deliver('validate', validate)
  })
  return given
}

describe('no alarm goes off', () => {
  const ENDS: Readonly<Record<string, Work>> = {
    completed: () => {},
    stale,
    resent: (_payload, { attempt }) => {
      if (attempt === 1) fail(new Error('try again'))()
    },
  }

  it.each(Object.entries(ENDS))('while attempts end as %s', async (name, work) => {
    const { names, off } = await ordersThat(work)
    expect(names()).toContain(name)
    expect(off()).toEqual({})
  })

  it('while attempts are superseded by newer requests', async () => {
    const { names, off } = await superseding()
    expect(names().filter((name) => name === 'superseded')).toHaveLength(30)
    expect(off()).toEqual({})
  })

  it('when one attempt is killed, and the next one completes', async () => {
    const { consumer, send, deliver, minutes, names, off } = account()
    let calls = 0
    const work = (): HandlerResult => ((calls += 1) === 1 ? never : undefined)
    const orders = within30s(recordHandler({ ...consumer, name: 'orders' }, work))
    send('orders', { n: 1 })
    void deliver('orders', orders)
    await minutes(() => deliver('orders', orders))
    expect(names()).toEqual(expect.arrayContaining(['lostAttempts', 'completed']))
    expect(off()).toEqual({})
  })

  it('while callers make mistakes, and events come twice', async () => {
    const { store, clients, call, minutes, names, off } = account()
    const options = { ...call, store, name: 'payments', waitForOther: 0 }
    const pay = idempotent(
      { ...options, key: (id: string) => id.slice(0, 1), payload: (id: string) => id },
      async (_id: string) => fail(new RejectedError('no such card'))(),
    )
    const events = onceForever({ store, ...call, clients, name: 'callbacks' })
    const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'
    await minutes(async (minute) => {
      await Promise.allSettled(['a1', 'a1', 'a2', ''].map((id) => pay(id)))
      for (const cents of [1, 1, 2]) {
        await events.thenEnqueue(`e${minute}`, cents, { queueUrl }).catch(() => {})
      }
    })
    expect(names()).toEqual(expect.arrayContaining(['missingKey', 'conflict', 'duplicate']))
    expect(off()).toEqual({})
  })
})

describe('an alarm goes off', () => {
  it('once, while attempts are killed again and again', async () => {
    const { consumer, send, deliver, minutes, off } = account()
    const orders = recordHandler({ ...consumer, name: 'orders' }, () => never)
    for (let nth = 0; nth < 10; nth += 1) send('orders', { nth })
    await minutes(async () => {
      for (let nth = 0; nth < 3; nth += 1) {
        const invocation = deliver('orders', within30s(orders), { batchSize: 1 })
        await Promise.race([invocation, aWhile()])
      }
    })
    expect(off()).toMatchObject({ OrdersUnendedAlarm: 1 })
  })

  it('once, while calls with a key are killed', async () => {
    const { store, call, minutes, off } = account()
    const locks = lockTokens({ store, ...call, name: 'payments' })
    await minutes((minute) => locks.begin('t', `call ${minute}`, SECOND))
    expect(off()).toEqual({ PaymentsUnendedAlarm: 1 })
  })

  it('once, while the table refuses calls and events', async () => {
    const { store, clients, call, minutes, off } = account()
    const down = { ...store, create: noAnswer, update: noAnswer, read: noAnswer } as Store
    const pay = idempotent(
      { ...call, store: down, name: 'payments', key: String },
      async (_id: number) => {},
    )
    const events = onceForever({ store: down, ...call, clients, name: 'callbacks' })
    await minutes((minute) => Promise.allSettled([pay(minute), events.acquire(`e${minute}`)]))
    expect(off()).toEqual({ PaymentsRefusingAlarm: 1, CallbacksRefusingAlarm: 1 })
  })

  it('once, while accepted events cannot be queued', async () => {
    const { store, call, minutes, off } = account()
    const sqs = { send: fail(new Error('no such queue')) } as never
    const events = onceForever({ store, ...call, clients: { sqs }, name: 'callbacks' })
    await minutes((minute) =>
      events.thenEnqueue(`e${minute}`, minute, { queueUrl: DEAD_QUEUE }).catch(() => {}),
    )
    expect(off()).toMatchObject({ CallbacksRefusingAlarm: 1 })
  })

  it.each([
    ['rejected', new RejectedError('no such order')],
    ['deadLettered', new TerminalError('never')],
  ])('when an operator has to look at what is %s', async (name, error) => {
    const { names, off } = await ordersThat(fail(error))
    expect(names()).toContain(name)
    expect(off()).toEqual({ WaitingForOperatorAlarm: 1 })
  })

  it('when a call waits for an operator', async () => {
    const { store, call, minutes, off } = account()
    const locks = lockTokens({ store, ...call, name: 'payments' })
    await minutes(async (minute) => {
      if (minute !== 9) return
      const lock = await locks.begin('t', 'me', SECOND)
      if (lock.existing === undefined) await lock.endWithError('is the card charged?')
    })
    expect(off()).toEqual({ WaitingForOperatorAlarm: 1 })
  })
})

describe('a circuit breaker', () => {
  /** What orders depends on is down from the fifth minute to the 40th, and few of them come. */
  async function outage() {
    const given = account()
    const { consumer, send, deliver, minutes } = given
    let minute = 0
    const orders = recordHandler(
      {
        ...consumer,
        name: 'orders',
        circuitBreaker: circuitBreaker({ after: 3, when: () => true }),
      },
      () => {
        if (minute >= 5 && minute < 40) throw new Error('503')
      },
    )
    await minutes(async (now) => {
      minute = now
      if (minute < 8 || minute === 50) send('orders', { minute })
      await deliver('orders', orders)
    }, 54)
    return given
  }

  it('is one alarm, from when it opens until a probe completes', async () => {
    const { lines, off } = await outage()
    const changes = lines.filter(({ message }) => message.startsWith('circuit '))
    expect(changes).toHaveLength(2)
    expect(off()).toEqual({ OpenCircuitAlarm: 1 })
  })

  it("would be many by the consumer's own metric, which is there only while records are received", async () => {
    const { off } = await outage()
    const [, alarm] = alarms.find(([id]) => id === 'OpenCircuitAlarm') ?? []
    const Dimensions = [
      { Name: 'consumer', Value: 'orders' },
      { Name: 'table', Value: 'lineclear' },
    ]
    const own = { ...alarm, MetricName: 'circuitOpen', Dimensions } as Alarm
    expect(off([['own', own]])['own']).toBeGreaterThan(2)
  })
})

describe('without the metric of lost attempts', () => {
  const sum = (name: string) => ({
    Id: name,
    MetricStat: {
      Metric: {
        Namespace: 'Lineclear',
        MetricName: name,
        Dimensions: [
          { Name: 'consumer', Value: 'orders' },
          { Name: 'table', Value: 'lineclear' },
        ],
      },
      Stat: 'Sum',
      Period: 300,
    },
  })
  const difference: Alarm = {
    AlarmDescription: 'More attempts begin than complete.',
    Metrics: [
      { Id: 'unended', Expression: 'FILL(started, 0) - FILL(completed, 0)' },
      sum('started'),
      sum('completed'),
    ],
    EvaluationPeriods: 3,
    Threshold: 10,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  }

  it('an alarm on what has started and not completed goes off for what is stale', async () => {
    const { off } = await ordersThat(stale, 3)
    expect(off([['difference', difference]])).toEqual({ difference: 1 })
  })
})

const noAnswer = async () => [{ kind: 'failed', error: new Error('no answer') }]

/** Until what was begun waits for what never comes. */
function aWhile(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}
