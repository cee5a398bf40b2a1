import { PurgeQueueCommand } from '@aws-sdk/client-sqs'
import { lockTokens, onceForever, recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { fakeClock } from 'lineclear/testing'
import { afterAll, afterEach, assert, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'
import { queuePendingEvent, markQueued } from '../../src/library/entries/call/pendingEvents.ts'
import { awsMessenger } from '../../src/library/adapters/send/awsMessenger.ts'
import { faultyStore } from './faultyStore.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud(
    { queues: { callbacks: {}, 'callbacks.fifo': {} }, tables: { lineclear: tableDefinition() } },
    { logger: quietLogger() },
  )
})
afterAll(() => cloud.stop())
// A queue that is shared would hold what another test has sent.
afterEach(async () => {
  for (const queue of ['callbacks', 'callbacks.fifo']) {
    await cloud.sqs.send(new PurgeQueueCommand({ QueueUrl: cloud.queueUrl(queue) }))
  }
})

function set(name: string = crypto.randomUUID()) {
  const store = faultyStore()
  const logger = quietLogger()
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const once = onceForever({ store, name, logger, clock, clients: { sqs: cloud.sqs } })
  const to = { queueUrl: cloud.queueUrl('callbacks') }
  return { store, logger, clock, once, to, item: () => store.items()[0] }
}

const queuedIn = (queue: string): readonly unknown[] => cloud.inspectQueue(queue).ready

describe('acquire', () => {
  it('is true once, ever, and is one request', async () => {
    const { once, store, clock, item } = set()
    expect(await once.acquire('tx-1', { provider: 'acme', amount: 5 })).toBe(true)
    clock.advance(100 * 365 * 86_400_000)
    expect(await once.acquire('tx-1')).toBe(false)
    expect(await once.acquire('tx-2')).toBe(true)
    expect(store.calls).toEqual(['create', 'create', 'create'])
    expect(item()).toMatchObject({
      sk: 'once',
      provider: 'acme',
      amount: 5,
      created: '2026-01-01T00:00:00.000Z',
    })
    expect(item()).not.toHaveProperty('ttl')
  })

  it('has one winner among two hundred, over several instances, on DynamoDB', async () => {
    const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
    const ask = (): Promise<boolean> => onceForever({ store, name: 'race' }).acquire('tx-1')
    const asked = Array.from({ length: 200 }, ask)
    expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(1)
  })

  it('is still true for the winner when the answer to its write was lost', async () => {
    const { once, store } = set()
    store.next('create', 'lose')
    expect(await once.acquire('tx-1')).toBe(true)
  })

  it('throws when the store gives no answer: nothing may be acknowledged', async () => {
    const { once, store } = set()
    store.next('create', 'fail')
    await expect(once.acquire('tx-1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('keeps names apart', async () => {
    expect(await set('a/b').once.acquire('c')).toBe(true)
    const { once, store } = set('a')
    expect(await once.acquire('b/c')).toBe(true)
    expect(await onceForever({ store, name: 'a/b' }).acquire('c')).toBe(true)
  })

  it.each(['ttl', 'pk', 'status'])('refuses the reserved attribute %s', async (name) => {
    const { once, store } = set()
    await expect(once.acquire('tx-1', { [name]: 1 })).rejects.toThrow(
      /attribute of the lock itself/,
    )
    expect(store.calls).toEqual([])
  })

  it.each(['', 'x'.repeat(2_100), undefined as unknown as string])(
    'refuses the key %j',
    async (key) => {
      await expect(set().once.acquire(key)).rejects.toMatchObject({ code: 'REJECTED' })
    },
  )
})

describe('thenEnqueue', () => {
  it('stores, sends, and marks; a duplicate is one request, and is not sent', async () => {
    const { once, store, to, item } = set()
    const before = queuedIn('callbacks').length
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('queued')
    expect(item()).toMatchObject({ status: 'queued', queued: expect.any(String) })
    expect(item()).not.toHaveProperty('letter')
    expect(item()).not.toHaveProperty('statusShard')
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('duplicate')
    expect(store.calls).toEqual(['create', 'update', 'create'])
    expect(queuedIn('callbacks')).toHaveLength(before + 1)
  })

  it('stores the event before it is sent', async () => {
    const { once, store, item } = set()
    const nowhere = { queueUrl: cloud.queueUrl('callbacks').replace('callbacks', 'missing') }
    await expect(once.thenEnqueue('tx-1', { amount: 1 }, nowhere)).rejects.toMatchObject({
      code: 'SEND_FAILED',
    })
    expect(store.calls).toEqual(['create'])
    expect(item()).toMatchObject({
      status: 'accepted',
      letter: expect.stringContaining('amount'),
      statusShard: expect.stringMatching(/^accepted#/),
      dueAt: Date.UTC(2026, 0, 1) + 60_000,
    })
  })

  it('an event whose queueing failed is queued by its duplicate, as first accepted, under the same id; a duplicate with a different payload is refused', async () => {
    const { once, store, to, clock } = set()
    store.next('create', 'failAfter')
    const before = queuedIn('callbacks').length
    await expect(once.thenEnqueue('tx-1', { amount: 1 }, to)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    expect(queuedIn('callbacks')).toHaveLength(before)
    clock.advance(5_000)
    const changed = once.thenEnqueue('tx-1', { amount: 'changed' }, to)
    await expect(changed).rejects.toMatchObject({ code: 'REJECTED' })
    const [message] = cloud.inspectQueue('callbacks').ready.slice(-1)
    expect(message?.body).toBe('{"amount":1}')
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('duplicate')
  })

  it('an event whose queueing failed is queued by the sweeper', async () => {
    const { once, store, to, item } = set()
    store.next('create', 'failAfter')
    await expect(once.thenEnqueue('tx-1', { amount: 1 }, to)).rejects.toThrow('injected')
    const { pk = '', sk = '' } = (item() ?? {}) as { pk?: string; sk?: string }
    const messenger = awsMessenger({ sqs: cloud.sqs })
    const before = queuedIn('callbacks').length
    expect(await queuePendingEvent(store, messenger, { pk, sk }, Date.now())).toBe('queued')
    expect(await queuePendingEvent(store, messenger, { pk, sk }, Date.now())).toBe('not accepted')
    expect(queuedIn('callbacks')).toHaveLength(before + 1)
  })

  it('marking an event as queued a second time changes nothing', async () => {
    const { once, store, to, item } = set()
    await once.thenEnqueue('tx-1', {}, to)
    const before = item()
    const pk = before?.['pk']
    assert(typeof pk === 'string')
    const key = { pk, sk: 'once' }
    expect(await store.update([markQueued(key, Date.now())])).toMatchObject([{ kind: 'refused' }])
    expect(item()).toEqual(before)
  })

  it('an event that is queued twice is consumed once: its id is always the same', async () => {
    const { once, store, to, logger } = set('twice')
    store.next('update', 'fail')
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('queued')
    expect(logger.lines.at(-1)?.message).toMatch(/may be queued again, under the same id/)
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('queued again')
    const taken: unknown[] = []
    const handler = recordHandler(
      {
        name: 'ledger',
        store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
        clients: { sqs: cloud.sqs },
        queueUrl: to.queueUrl,
        logger: quietLogger(),
        retention: '3650d',
      },
      (payload, ctx) => void taken.push([ctx.uniqueRequestId, payload]),
    )
    const mapping = mapQueue({ cloud, queue: 'callbacks', handler, logger: quietLogger() })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    const ids = taken.map((entry) => (entry as [string])[0])
    expect(new Set(ids).size).toBe(ids.length)
    expect(mapping.counts.deliveries).toBeGreaterThan(ids.length)
  })

  it('an event has the same id wherever and whenever it is accepted', async () => {
    const ids: unknown[] = []
    for (const tx of ['tx-1', 'tx-1', 'tx-2']) {
      const { once, store, to } = set('same')
      const nowhere = { queueUrl: `${to.queueUrl}-missing` }
      await once.thenEnqueue(tx, {}, nowhere).catch(() => {})
      ids.push(
        /"StringValue":"([\w-]{43})"/.exec(JSON.stringify(store.items()).replaceAll('\\', ''))?.[1],
      )
    }
    expect(ids[0]).toEqual(expect.any(String))
    expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false])
  })

  it('on a FIFO queue names its group, and is deduplicated by the same id', async () => {
    const { once } = set()
    const queueUrl = cloud.queueUrl('callbacks.fifo')
    await expect(once.thenEnqueue('tx-1', {}, { queueUrl })).rejects.toThrow(/groupId/)
    expect(await once.thenEnqueue('tx-1', {}, { queueUrl, groupId: 'g' })).toBe('queued')
    expect(queuedIn('callbacks.fifo')).toHaveLength(1)
  })

  it.each(['', undefined])('accepts nothing for the queue %j', async (queueUrl) => {
    const { once, store } = set()
    const to = { queueUrl: queueUrl as string }
    await expect(once.thenEnqueue('tx-1', {}, to)).rejects.toThrow(/environment variable/)
    expect(store.calls).toEqual([])
  })

  it.each([
    [undefined, /JSON value/],
    ['', /its body is empty/],
    ['x'.repeat(1_100_000), /bytes of at most/],
  ])('accepts nothing that cannot be sent: %.20s', async (payload, message) => {
    const { once, store, to } = set()
    const as = payload === '' ? 'text' : 'json'
    await expect(once.thenEnqueue('tx-1', payload, { ...to, as })).rejects.toThrow(message)
    expect(store.calls).toEqual([])
  })
})

describe('one key, one event', () => {
  it('a key that was only acquired gets its event', async () => {
    const { once, to, item } = set()
    expect(await once.acquire('tx-1', { provider: 'acme' })).toBe(true)
    const before = queuedIn('callbacks').length
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('queued')
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('duplicate')
    expect(queuedIn('callbacks')).toHaveLength(before + 1)
    expect(item()).toMatchObject({ status: 'queued', provider: 'acme' })
    expect(await once.acquire('tx-1')).toBe(false)
  })

  it('a key that was only acquired gets its event under the same id when the answer to that write was lost', async () => {
    const { once, store, to } = set()
    await once.acquire('tx-1')
    store.next('update', 'failAfter')
    await expect(once.thenEnqueue('tx-1', { amount: 1 }, to)).rejects.toThrow('injected')
    expect(await once.thenEnqueue('tx-1', { amount: 1 }, to)).toBe('queued again')
  })

  it('a different payload under it is refused, and not queued', async () => {
    const { once, to } = set()
    expect(await once.thenEnqueue('tx-1', { amount: 1, of: 'a' }, to)).toBe('queued')
    const before = queuedIn('callbacks').length
    await expect(once.thenEnqueue('tx-1', { amount: 2, of: 'a' }, to)).rejects.toMatchObject({
      code: 'REJECTED',
      message: expect.stringContaining('different payload'),
    })
    expect(await once.thenEnqueue('tx-1', { of: 'a', amount: 1 }, to)).toBe('duplicate')
    expect(queuedIn('callbacks')).toHaveLength(before)
  })
})

describe('an event that its provider delivers again with a counter changed', () => {
  const event = { id: 'evt_1', type: 'paid', pending: 2 }
  const again = { pending: 1, type: 'paid', id: 'evt_1' }

  it('is refused, with what to answer', async () => {
    const { once, to } = set()
    await once.thenEnqueue('evt_1', event, to)
    await expect(once.thenEnqueue('evt_1', again, to)).rejects.toThrow(/2xx.* mustAgree: \['id'/)
  })

  it('is a duplicate by the fields that have to agree, and refused when they do not', async () => {
    const { once, to } = set()
    const own = { ...to, mustAgree: ['id', 'type'] }
    expect(await once.thenEnqueue('evt_1', event, own)).toBe('queued')
    expect(await once.thenEnqueue('evt_1', again, own)).toBe('duplicate')
    const other = { ...again, type: 'failed' }
    await expect(once.thenEnqueue('evt_1', other, own)).rejects.toThrow(/different payload/)
    // Under other names it is not known whether they agree.
    await expect(once.thenEnqueue('evt_1', again, to)).rejects.toThrow(/different payload/)
  })

  it.each([
    [[], event],
    [['none'], event],
    [['id'], 'a text'],
    [['id'], null],
  ])('cannot be compared by %j of %j: nothing is accepted', async (mustAgree, payload) => {
    const { once, to, item } = set()
    await expect(once.thenEnqueue('evt_1', payload, { ...to, mustAgree })).rejects.toThrow(
      /mustAgree: expected names/,
    )
    expect(item()).toBeUndefined()
  })
})

describe('the payload', () => {
  it('that is a text is JSON on the queue, or sent as it is with as text', async () => {
    const { once, to } = set()
    await once.thenEnqueue('tx-1', 'hello', to)
    expect(cloud.inspectQueue('callbacks').ready.at(-1)?.body).toBe('"hello"')
    await once.thenEnqueue('tx-2', 'hello', { ...to, as: 'text' })
    expect(cloud.inspectQueue('callbacks').ready.at(-1)?.body).toBe('hello')
    const number = once.thenEnqueue('tx-3', 5, { ...to, as: 'text' })
    await expect(number).rejects.toThrow(/as: expected/)
  })

  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  it.each([
    [{ order: Promise.resolve(1) }, '$.order is a Promise'],
    [[new Map([[1, 2]])], '$[0] is a Map'],
    [{ set: new Set([1]) }, '$.set is a Set'],
    [{ a: { b: Number.NaN } }, '$.a.b is NaN'],
    [{ a: Infinity }, '$.a is Infinity'],
    [{ bytes: new Uint8Array(2) }, '$.bytes is bytes'],
    [{ n: 2n }, '$.n is a bigint'],
    [{ f: () => 1 }, '$.f is a function'],
    [{ at: new Date(Number.NaN) }, '$.at is an invalid Date'],
    [[1, undefined], '$[1] is undefined'],
    [{ error: new Error('x') }, '$.error is an Error'],
    [circle, '$.self contains itself'],
  ])('that JSON would change is refused, with its path: %o', async (payload, path) => {
    const { once, store, to } = set()
    await expect(once.thenEnqueue('tx-1', payload, to)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining(`at ${path}`),
    })
    expect(store.calls).toEqual([])
  })

  it('that JSON preserves is accepted', async () => {
    const { once, to } = set()
    const payload = { at: new Date(0), none: undefined, url: new URL('https://a/'), list: [null] }
    expect(await once.thenEnqueue('tx-1', payload, to)).toBe('queued')
    expect(cloud.inspectQueue('callbacks').ready.at(-1)?.body).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","url":"https://a/","list":[null]}',
    )
  })
})

it.each([{}, { name: '' }, { name: 'a\ud800' }])('a missing name is refused: %j', (options) => {
  const given = { store: faultyStore(), ...options } as never
  expect(() => onceForever(given)).toThrow(/^onceForever: name: expected a text/)
  expect(() => lockTokens(given)).toThrow(/^lockTokens: name: expected a text/)
})

it('missing options are refused', () => {
  expect(() => onceForever(undefined as never)).toThrow(
    /^onceForever: expected an object of options/,
  )
  expect(() => lockTokens(undefined as never)).toThrow(/^lockTokens: expected an object of options/)
})
