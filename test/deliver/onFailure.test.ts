import { describe, expect, it } from 'vitest'
import { type FailureEnd, type RecordContext, recordHandler, TerminalError } from 'lineclear'
import { z } from 'zod'
import { stableId } from '../../src/library/base/ids.ts'
import { tokenKey } from '../../src/library/protocol/claim/token/token.ts'
import type { SimulatedMessage } from '../../src/testing/queues/simulatedQueue.ts'
import { nativeRedrive } from '../testing/nativeRedrive.ts'
import { consumerOf } from './consumerOf.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Told {
  readonly payload: unknown
  readonly end: FailureEnd
  readonly attempt: number
}

type Options = NonNullable<Parameters<typeof consumerOf>[1]>

/** A consumer whose handler fails for good, and what its `onFailure` was told. */
function dying(
  given: Options & { readonly work?: (ctx: RecordContext) => unknown } = {},
  tell: (told: Told, ctx: RecordContext) => void | Promise<void> = () => {},
) {
  const { work, ...options } = given
  const told: Told[] = []
  const consumer = consumerOf(
    async (_payload, ctx) => {
      await (work ?? fail)(ctx)
    },
    {
      retry: { maxAttempts: 2 },
      onFailure: async (payload, ctx, end) => {
        const one = { payload, end, attempt: ctx.attempt }
        told.push(one)
        await tell(one, ctx)
      },
      ...options,
    },
  )
  const { queue, clock, deliver, store, dead } = consumer
  return {
    ...consumer,
    told,
    token: () => store.items()[0],
    /** SQS delivers what is due, until nothing is left. */
    async drain(most = 20): Promise<void> {
      for (let nth = 0; queue.messages.length > 0 && nth < most; nth++) {
        clock.advance(HOUR)
        await deliver([...queue.messages])
      }
    },
    redrive: (): SimulatedMessage[] => [...nativeRedrive(dead, queue, clock.now())],
  }
}

function fail(): never {
  throw new TerminalError('no such account')
}

describe('onFailure', () => {
  it('is told of a death once its letter was sent; until then the message stays', async () => {
    const { send, deliver, dead, told, settled, token, queue } = dying()
    const message = send('{"order":1}')
    expect(await deliver(message)).toBe(true)
    expect([dead.messages.length, told.length, token()?.['status']]).toEqual([1, 0, 'ending'])
    expect(await deliver(message)).toBe(false)
    expect(told).toEqual([
      {
        payload: { order: 1 },
        attempt: 1,
        end: {
          as: 'dead',
          reason: 'terminal',
          error: 'TerminalError: no such account',
          final: false,
          attempts: 1,
          deaths: 1,
          text: '{"order":1}',
          made: [],
          keyOf: expect.any(Function),
        },
      },
    ])
    expect(settled.map(({ kind }) => kind)).toEqual(['retrying', 'deadLettered'])
    expect(token()).toMatchObject({ status: 'error', statusShard: expect.stringMatching(/^error/) })
    expect([queue.messages, dead.messages.length]).toEqual([[], 1])
  })

  it('learns what was made, and with which keys', async () => {
    let key = ''
    const { send, drain, told } = dying({
      work: async (ctx) => {
        await ctx.write('reserve', { TableName: 'stock', Key: { sku: 's' }, add: { reserved: 1 } })
        await ctx.call('charge', ({ idempotencyKey }) => {
          key = idempotencyKey
          return { receipt: 7 }
        })
        await ctx.call('label', () => Promise.reject(new Error('reset')), { ifUnknown: 'stop' })
      },
    })
    send('{}')
    await drain()
    const [{ end }] = told as [Told]
    expect(end).toMatchObject({ reason: 'unknown', attempts: 1 })
    expect(end.made).toEqual([
      { name: 'reserve', kind: 'write', outcome: 'made' },
      { name: 'charge', kind: 'call', outcome: 'made', result: { receipt: 7 } },
      { name: 'label', kind: 'call', outcome: 'unknown' },
    ])
    expect(end.keyOf('charge')).toBe(key)
    expect(end.keyOf('charge', { maxLength: 20 })).toBe(key.slice(0, 20))
    expect(() => end.keyOf('charge', { maxLength: 3 })).toThrow('end.keyOf')
  })

  it('is tried again with its effects made once, and given up as the handler is', async () => {
    const reported: string[] = []
    const metrics = {
      addDimension: () => {},
      addMetric: (name: string) => void reported.push(name),
      publishStoredMetrics: () => {},
    }
    const { send, drain, told, store, token, dead, logger } = dying(
      { metrics },
      async (_told, ctx) => {
        await ctx.write('tell', { TableName: 'told', Key: { id: 't' }, add: { times: 1 } })
        throw new Error('mail: down')
      },
    )
    send('{}')
    await drain()
    expect(told.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(store.userItems('told')).toEqual([{ id: 't', times: 1 }])
    expect(token()).toMatchObject({
      status: 'error',
      error: 'TerminalError: no such account',
      untold: 'Error: mail: down',
    })
    expect(dead.messages).toHaveLength(1)
    expect(reported.filter((name) => name === 'untold')).toHaveLength(1)
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining('onFailure') }),
    )
  })

  it('is not run once more after its last attempt was killed', async () => {
    const { send, deliver, told, store, token, clock, queue } = dying({ retry: { maxAttempts: 1 } })
    const message = send('{}')
    await deliver(message)
    // As the claim of a killed attempt has left it.
    const killed = { attempt: 1, attemptId: 'killed', leaseUntil: clock.now() + 1_000 }
    const where = [{ exists: 'pk' }] as const
    await store.update([{ key: tokenKey('orders', 'm1'), where, set: killed }])
    clock.advance(HOUR)
    await deliver([...queue.messages])
    clock.advance(HOUR)
    await deliver([...queue.messages])
    expect(told).toEqual([])
    expect(token()).toMatchObject({ untold: expect.stringContaining('the last of 1 attempts') })
  })

  it('gets the text of a message that its schema refuses', async () => {
    const { send, drain, told, dead } = dying({ schema: z.object({ order: z.number() }) })
    send('{"order":"one"}')
    await drain()
    expect(told).toMatchObject([
      { payload: undefined, end: { reason: 'rejected', text: '{"order":"one"}' } },
    ])
    expect(dead.messages).toHaveLength(1)
  })

  it('gets the payload of a request that grew too old', async () => {
    const { send, drain, told } = dying({
      work: () => {
        throw new Error('not yet')
      },
      retry: { maxAttempts: 100, maxAge: '2h' },
    })
    send('{"order":1}')
    await drain()
    expect(told).toMatchObject([{ payload: { order: 1 }, end: { reason: 'too old' } }])
  })

  it('is not called for a message that is too old and may have completed', async () => {
    const { sendStamped, deliver, clock, told, reasons } = dying({ retention: '1d' })
    const message = sendStamped('r')
    clock.advance(2 * DAY)
    await deliver(message)
    expect([told, reasons()]).toEqual([[], ['too old']])
  })

  it('is not called for a copy whose record is gone, and that its schema refuses', async () => {
    const { sendStamped, drain, told, reasons } = dying({ schema: z.object({ order: z.number() }) })
    sendStamped('r', { resendNumber: 2 })
    await drain()
    expect([told, reasons()]).toEqual([[], ['rejected']])
  })

  it('holds an attempt of its own: a copy waits, and a redrive waits for it', async () => {
    let during: (() => Promise<void>) | undefined
    const kinds: unknown[] = []
    const consumer = dying({}, async () => during?.())
    const { send, deliver, redrive, settled, told } = consumer
    const message = send('{}')
    await deliver(message)
    during = async () => {
      during = undefined
      const before = settled.length
      await deliver(redrive())
      kinds.push(...settled.slice(before).map(({ kind }) => kind))
    }
    await deliver(message)
    expect([kinds, told.length]).toEqual([['deferred'], 1])
  })

  it('is told again, with effects of its own, when a redriven request dies again', async () => {
    const { send, drain, redrive, store, told } = dying({}, async ({ end }, ctx) => {
      const Key = { id: `death ${end.deaths}` }
      await ctx.write('tell', { TableName: 'told', Key, add: { times: 1 } })
    })
    send('{}')
    await drain()
    redrive()
    await drain()
    expect(told.map(({ end }) => [end.deaths, end.attempts])).toEqual([
      [1, 1],
      [2, 1],
    ])
    expect(store.userItems('told').map(({ times }) => times)).toEqual([1, 1])
  })

  it('lets a redriven request complete', async () => {
    let repaired = false
    const { send, drain, redrive, settled, token } = dying({ work: () => repaired || fail() })
    send('{}')
    await drain()
    repaired = true
    redrive()
    await drain()
    expect(settled.at(-1)).toEqual({ kind: 'completed' })
    expect(token()?.['status']).toBeUndefined()
  })

  it('makes its effects once when its consumer is renamed, and the retention is over, while it is due', async () => {
    const { send, deliver, queue, token, store, clock, options } = dying()
    const message = send('{"order":1}')
    await deliver(message)
    const seen: unknown[] = []
    const renamed = recordHandler(
      {
        ...options,
        name: 'purchases',
        formerNames: ['orders'],
        onFailure: async (order, ctx, { keyOf }) => {
          seen.push(order, keyOf('charge') === stableId('m1', 'orders', 'call', 'charge'))
          await ctx.write('tell', { TableName: 'told', Key: { id: 't' }, add: { times: 1 } })
          if (ctx.attempt === 1) throw new Error('not yet')
        },
      },
      fail,
    )
    for (let nth = 0; nth < 2; nth++) {
      clock.advance(60 * DAY)
      await deliver([...queue.messages], {}, renamed)
    }
    expect(seen).toEqual([{ order: 1 }, true, { order: 1 }, true])
    expect(store.userItems('told')).toEqual([{ id: 't', times: 1 }])
    expect([queue.messages, token()?.['status']]).toEqual([[], 'error'])
  })

  it('holds its message group on a FIFO queue until it has ended', async () => {
    const order: string[] = []
    const { send, deliver, queue, dead } = dying(
      {
        queue: 'orders.fifo',
        work: ({ uniqueRequestId }) => {
          order.push(uniqueRequestId)
          if (uniqueRequestId === 'm1') fail()
        },
      },
      ({ end }) => void order.push(`death ${end.deaths}`),
    )
    send('{"order":1}')
    send('{"order":2}')
    await deliver([...queue.messages])
    expect([order, queue.messages.length, dead.messages.length]).toEqual([['m1'], 2, 1])
    await deliver([...queue.messages])
    expect([order, queue.messages]).toEqual([['m1', 'death 1', 'm2'], []])
  })

  it('that a deployment has removed leaves the death listed', async () => {
    const { send, deliver, token, settled, options } = dying()
    const message = send('{}')
    await deliver(message)
    const without = recordHandler(options, fail)
    expect(await deliver(message, {}, without)).toBe(false)
    expect(settled.at(-1)).toEqual({ kind: 'alreadyDeadLettered' })
    expect(token()).toMatchObject({ status: 'ending', statusShard: expect.any(String) })
  })
})

describe("dead: 'final'", () => {
  it('is the end: a letter that is redriven does not run, and is forgotten after the retention', async () => {
    let runs = 0
    const consumer = dying({
      dead: 'final',
      retention: '1d',
      work: () => {
        runs += 1
        fail()
      },
    })
    const { send, drain, redrive, told, settled, token, clock } = consumer
    send('{}')
    await drain()
    expect(told).toMatchObject([{ end: { final: true } }])
    expect(token()).toMatchObject({ status: 'error', final: true })
    expect(Number(token()?.['ttl']) * 1_000).toBeGreaterThanOrEqual(clock.now() + 2 * DAY - HOUR)
    expect(token()?.['statusShard']).toBeUndefined()
    redrive()
    await drain()
    expect([runs, told.length, settled.at(-1)]).toEqual([1, 1, { kind: 'alreadyDeadLettered' }])
  })

  it.each(['stop', 'repeat'] as const)(
    'waits for the lease before it takes back what may still be under way: ifUnknown %s',
    async (ifUnknown) => {
      const { send, deliver, token, queue, told, drain, clock } = dying({
        dead: 'final',
        work: async (ctx) => {
          await ctx.call('charge', () => Promise.reject(new Error('reset')), { ifUnknown })
        },
        retry: { maxAttempts: 1 },
      })
      const message = send('{}')
      await deliver(message)
      expect(message.visibleAt).toBe(token()?.['notBefore'])
      expect(message.visibleAt).toBeGreaterThan(clock.now())
      message.visibleAt = clock.now()
      await deliver(message)
      expect(told).toEqual([])
      await drain()
      expect([told.length, queue.messages]).toEqual([1, []])
    },
  )

  it('runs onFailure again, and nothing else, when its letter is redriven after it was given up', async () => {
    let down = true
    let runs = 0
    const consumer = dying(
      {
        dead: 'final',
        work: () => {
          runs += 1
          fail()
        },
      },
      () => {
        if (down) throw new Error('mail: down')
      },
    )
    const { send, drain, redrive, told, token } = consumer
    send('{}')
    await drain()
    expect([told.length, token()?.['untold']]).toEqual([2, 'Error: mail: down'])
    down = false
    redrive()
    await drain()
    expect([runs, told.length, token()?.['untold']]).toEqual([1, 3, undefined])
    expect(token()).toMatchObject({ final: true, ttl: expect.any(Number) })
  })

  it('is refused without onFailure', () => {
    expect(() => consumerOf(() => {}, { dead: 'final' })).toThrow('onFailure beside it')
  })
})
