import {
  atLeast,
  type ReturnedWrites,
  type ReturningContext,
  type Store,
  TerminalError,
  writeHandler,
} from 'lineclear'
import { describe, expect, it } from 'vitest'
import { consumerOf } from '../../deliver/consumerOf.ts'

const sum = { TableName: 'sums', Key: { id: 'a' }, add: { cents: 5 } } as const
const order = { TableName: 'orders', Key: { id: 'o' }, put: { paid: true } } as const

type Handle = (payload: unknown, ctx: ReturningContext) => ReturnedWrites | Promise<ReturnedWrites>

/** The calls to the store, by their names. */
function writerOf(handle: Handle) {
  const consumer = consumerOf(() => {})
  const calls: string[] = []
  const { store } = consumer
  const counting: Store = {
    ...store,
    create: (items) => (calls.push('create'), store.create(items)),
    update: (updates) => (calls.push('update'), store.update(updates)),
    read: (keys, options) => (calls.push('read'), store.read(keys, options)),
    transact: (claim, writes) => (calls.push('transact'), store.transact(claim, writes)),
  }
  const handler = writeHandler(
    { ...consumer.options, store: counting, deadLetterQueueUrl: DEAD },
    handle,
  )
  const deliver = (
    message: Parameters<typeof consumer.deliver>[0],
    change: Parameters<typeof consumer.deliver>[1] = {},
    by: ReturnType<typeof writeHandler> = handler,
  ): Promise<boolean> => consumer.deliver(message, change, by)
  return { ...consumer, deliver, calls }
}

const DEAD = 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters'
const AGAIN = { ApproximateReceiveCount: '2' }

it('a first delivery costs one call: the writes and the end of the request are one transaction', async () => {
  const { send, deliver, calls, store, settled } = writerOf(() => [sum, order])
  expect(await deliver(send('{}'))).toBe(false)
  expect(calls).toEqual(['transact'])
  expect(settled).toEqual([{ kind: 'completed' }])
  expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
  const [token] = store.items()
  expect(token).toMatchObject({ sk: 'token', attempt: 1, fence: 1, ttl: expect.any(Number) })
  expect(token).not.toHaveProperty('status')
  expect(token).not.toHaveProperty('leaseUntil')
})

it('a duplicate is dropped, and writes nothing', async () => {
  const { sendStamped, deliver, store, settled } = writerOf(() => sum)
  await deliver([sendStamped('r'), sendStamped('r')])
  await deliver(sendStamped('r'), AGAIN)
  expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'duplicate', 'duplicate'])
  expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
})

it('another payload under the same id(payload) is dropped with a WARN line', async () => {
  const { send, deliver, settled, options, logger } = writerOf(() => sum)
  const handler = writeHandler({ ...options, deadLetterQueueUrl: DEAD, id: () => 'r' }, () => sum)
  await deliver(send('{"n":1}'), {}, handler)
  await deliver(send('{"n":2}'), {}, handler)
  expect(settled).toEqual([{ kind: 'completed' }, { kind: 'duplicate', otherPayload: true }])
  expect(logger.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('mustAgree') }),
  )
})

it('a handler that returns nothing has completed its message', async () => {
  const { sendStamped, deliver, settled, calls } = writerOf(() => undefined)
  await deliver(sendStamped('r'))
  await deliver(sendStamped('r'))
  expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'duplicate'])
  expect(calls).toEqual(['create', 'create'])
})

describe('a message that was delivered before', () => {
  it('is claimed before it runs, so that what kills its sandbox does not run for ever', async () => {
    const seen: unknown[] = []
    const { send, deliver, store, settled } = writerOf(() => {
      seen.push(...store.items().map(({ status }) => status))
      return sum
    })
    await deliver(send('{}'), AGAIN)
    expect(seen).toEqual(['inProgress'])
    expect(settled).toEqual([{ kind: 'completed' }])
    expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
  })

  it('writes nothing again when only its end is missing', async () => {
    const { sendStamped, deliver, store, clock, options } = writerOf(() => sum)
    const failing: Store = {
      ...store,
      update: (updates) =>
        Promise.resolve(updates.map(() => ({ kind: 'failed', error: new Error('no answer') }))),
    }
    const dying = writeHandler({ ...options, store: failing }, () => sum)
    expect(await deliver(sendStamped('r'), AGAIN, dying)).toBe(true)
    clock.advance(20 * 60_000)
    expect(await deliver(sendStamped('r'), AGAIN)).toBe(false)
    expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
  })
})

describe('a first attempt that fails', () => {
  it('claims the request before its copy is sent', async () => {
    const { send, deliver, store, settled, queue, calls } = writerOf(() => {
      throw new Error('the database of someone else is down')
    })
    await deliver(send('{}'))
    expect(settled).toMatchObject([{ kind: 'resent' }])
    expect(calls[0]).toBe('create')
    expect(store.items()).toMatchObject([{ status: 'inProgress', attempt: 1, resendNumber: 1 }])
    expect(queue.messages).toHaveLength(1)
  })

  it('is dead-lettered only with its claim', async () => {
    const { send, deliver, store, reasons } = writerOf(() => {
      throw new TerminalError('no such account')
    })
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    expect(store.items()).toMatchObject([{ status: 'error', reason: 'terminal' }])
  })

  it('is not dead-lettered when a copy has made the writes meanwhile', async () => {
    let first = true
    const { sendStamped, deliver, store, reasons, settled } = writerOf(async () => {
      if (!first) return sum
      first = false
      await deliver(sendStamped('r'))
      throw new TerminalError('no such account')
    })
    await deliver(sendStamped('r'))
    expect(reasons()).toEqual([])
    expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'duplicate'])
    expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
  })
})

describe('a token that is there already', () => {
  it('of an attempt that runs keeps the message on the queue', async () => {
    let first = true
    const { sendStamped, deliver, store, settled } = writerOf(async () => {
      if (!first) throw new Error('later')
      first = false
      await deliver(sendStamped('r'))
      return sum
    })
    expect(await deliver(sendStamped('r'))).toBe(true)
    expect(settled.map(({ kind }) => kind)).toEqual(['resent', 'failed'])
    expect(store.userItems('sums')).toEqual([])
  })

  it('of another payload keeps the message on the queue, and then dead-letters it as a conflict', async () => {
    const { sendStamped, deliver, store, settled, reasons } = writerOf(() => sum)
    await deliver(sendStamped('r', { body: '{"n":1}' }))
    const other = sendStamped('r', { body: '{"n":2}' })
    expect(await deliver(other)).toBe(true)
    await deliver(other, AGAIN)
    expect(settled.map(({ kind }) => kind)).toEqual(['completed', 'failed', 'deadLettered'])
    expect(reasons()).toEqual(['conflict'])
    expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 5 }])
  })
})

describe('a write that the SDK has repeated, because the first answer was lost', () => {
  const twice = (store: Store): Store => ({
    ...store,
    create: async (items) => (await store.create(items), store.create(items)),
    transact: async (claim, writes) => (
      await store.transact(claim, writes),
      store.transact(claim, writes)
    ),
  })

  it.each<[string, Handle, string]>([
    ['the writes and the end', () => sum, 'completed'],
    ['the end alone', () => undefined, 'completed'],
    [
      'the claim of an attempt that has failed',
      () => {
        throw new Error('not yet')
      },
      'resent',
    ],
  ])('%s is known as its own', async (_, handle, end) => {
    const { send, deliver, settled, store, options } = writerOf(handle)
    await deliver(send('{}'), {}, writeHandler({ ...options, store: twice(store) }, handle))
    expect(settled.map(({ kind }) => kind)).toEqual([end])
  })
})

it('a guard that does not hold ends the request: no copy writes later', async () => {
  const { sendStamped, deliver, store, settled } = writerOf(() => ({
    ...sum,
    guard: atLeast('cents', 10),
  }))
  await deliver(sendStamped('r'))
  await store.create([{ pk: 'own', sk: 'own' }])
  await store.transact({ key: { pk: 'own', sk: 'own' }, where: [] }, [
    { TableName: 'sums', Key: { id: 'a' }, put: { cents: 50 }, where: [] },
  ])
  await deliver(sendStamped('r'))
  await deliver(sendStamped('r'), AGAIN)
  expect(settled.map(({ kind }) => kind)).toEqual(['stale', 'duplicate', 'duplicate'])
  expect(store.userItems('sums')).toEqual([{ id: 'a', cents: 50 }])
})

describe('wrong use', () => {
  it('a call of ctx that has an effect throws, and names what to do', async () => {
    const { send, deliver, reasons, logger } = writerOf((_, ctx) => {
      const all = ctx as ReturningContext & {
        write(name: string, write: object): Promise<unknown>
      }
      void all.write('order', order)
      return sum
    })
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    expect(JSON.stringify(logger.lines)).toContain('Return the write')
  })

  it('a fence that is compared, not called, is refused too', async () => {
    const { send, deliver, reasons, logger } = writerOf((_, ctx) => {
      const { fence } = ctx as ReturningContext & { readonly fence: number }
      return fence < 2 ? sum : order
    })
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    expect(JSON.stringify(logger.lines)).toContain('ctx.fence: a handler of writeHandler')
  })

  it('what is no write is refused before anything is written', async () => {
    const { send, deliver, reasons, store, logger } = writerOf(
      () => ({ TableName: 'sums', Key: { id: 'a' }, ad: { cents: 5 } }) as never,
    )
    await deliver(send('{}'))
    expect(reasons()).toEqual(['terminal'])
    expect(store.userItems('sums')).toEqual([])
    expect(JSON.stringify(logger.lines)).toContain('the handler of writeHandler returned')
  })

  it('an option for calls that its handler does not have is refused at once', () => {
    const { options } = consumerOf(() => {})
    const given = { ...options, sql: {} } as never
    expect(() => writeHandler(given, () => sum)).toThrow(/sql.*recordHandler/)
  })
})
