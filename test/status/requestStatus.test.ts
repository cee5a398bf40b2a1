import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { ConfigError, recordHandler, requestStatus, RetryableError, TerminalError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const DAY_MS = 86_400_000

function open(work: (id: string) => unknown, more: object = {}) {
  const cloud = memoryCloud({
    queues: { jobs: { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }, dead: {} },
  })
  const { store, clients, clock, logger } = cloud
  const schema = z.object({ id: z.string() })
  const options = { name: 'jobs', store, clients, clock, logger, schema } as const
  const jobs = recordHandler(
    { ...options, id: (job) => job.id, retention: '2d', ...more },
    async (_job, ctx) => {
      await work(ctx.uniqueRequestId)
    },
  )
  const of = { store, name: 'jobs', clock }
  const status = (id = 'r1') => requestStatus(of, id)
  const send = (id = 'r1') => cloud.send('jobs', { id })
  return { cloud, clock, store, jobs, of, status, send }
}

describe('a request of a consumer', () => {
  it('that nothing has claimed is unknown, and may be forgotten unless it is young', async () => {
    const { clock, of, status, send } = open(() => {})
    send()
    await expect(status()).resolves.toEqual({
      state: 'unknown',
      possible: ['neverSeen', 'forgotten'],
    })
    const retention = '2d'
    const sent = { ...of, retention, sentAt: clock.now() } as const
    await expect(requestStatus(sent, 'r1')).resolves.toEqual({
      state: 'unknown',
      possible: ['neverSeen'],
    })
    clock.advance(2 * DAY_MS)
    await expect(requestStatus(sent, 'r1')).resolves.toMatchObject({
      possible: ['neverSeen', 'forgotten'],
    })
  })

  it('runs, with its attempt and its begin, and is completed at its end', async () => {
    const seen: unknown[] = []
    const { cloud, clock, jobs, status, send } = open(async () => seen.push(await status()))
    const begun = clock.now()
    send()
    await cloud.drain({ jobs })
    expect(seen).toEqual([
      { state: 'running', attempt: 1, since: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    const [{ since }] = seen as [{ since: string }]
    expect(Date.parse(since)).toBeGreaterThanOrEqual(begun)
    await expect(status()).resolves.toEqual({
      state: 'completed',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
  })

  it('is forgotten when its retention is over, also before DynamoDB has deleted it', async () => {
    const { cloud, clock, jobs, status, send } = open(() => {})
    send()
    await cloud.drain({ jobs })
    clock.advance(3 * DAY_MS)
    await expect(status()).resolves.toEqual({ state: 'unknown', possible: ['forgotten'] })
  })

  it('is retrying after a failure, with its time, until it is dead with its reason', async () => {
    const seen: unknown[] = []
    let failures = 0
    const { cloud, clock, jobs, status, send } = open(async () => {
      failures += 1
      if (failures === 1) throw new RetryableError('later', { retryAfter: '1h' })
      throw new TerminalError('never')
    })
    send()
    await cloud.deliver('jobs', jobs)
    const waits = await status()
    expect(waits).toMatchObject({ state: 'retrying', attempt: 1 })
    const { notBefore } = waits as { notBefore: string }
    expect(Date.parse(notBefore)).toBeGreaterThan(clock.now())
    seen.push(waits)
    clock.advance(3_600_000)
    await expect(status()).resolves.toEqual({ state: 'retrying', attempt: 1, notBefore: undefined })
    await cloud.drain({ jobs })
    await expect(status()).resolves.toEqual({ state: 'dead', reason: 'terminal', final: false })
  })

  it('whose attempt was lost is retrying at a time that is not known', async () => {
    const { cloud, clock, jobs, status, send, of } = open(() => new Promise(() => {}))
    send()
    void cloud.deliver('jobs', jobs)
    await expect(untilState(status, 'running')).resolves.toMatchObject({ attempt: 1 })
    const later = { ...of, clock: { ...clock, now: () => clock.now() + DAY_MS } }
    await expect(requestStatus(later, 'r1')).resolves.toEqual({
      state: 'retrying',
      attempt: 1,
      notBefore: undefined,
    })
  })

  it('of a renamed consumer is found under each name that it may be stored under, and nowhere else', async () => {
    const { cloud, clock, store, of } = open(() => {})
    const { clients, logger } = cloud
    const named = (name: string, formerNames: readonly string[]) =>
      recordHandler(
        { name, formerNames, store, clients, clock, logger, retry: { maxAttempts: 3 } },
        (payload) => {
          if ((payload as { by: string }).by === name)
            throw new RetryableError('later', { retryAfter: '1m' })
        },
      )
    // 'first' was forgotten when it became 'second'; a copy of 'second' stays under that name.
    cloud.send('jobs', { by: 'second' }, { attributes: { uniquerequestid: 'under-second' } })
    await cloud.deliver('jobs', named('second', []))
    cloud.send('jobs', { by: 'nobody' }, { attributes: { uniquerequestid: 'under-first' } })
    clock.advance(60_000)
    await cloud.drain({ jobs: named('third', ['first', 'second']) })
    cloud.send('jobs', { by: 'nobody' }, { attributes: { uniquerequestid: 'under-third' } })
    await cloud.drain({ jobs: named('third', []) })
    const ids = ['under-first', 'under-second', 'under-third', 'never']
    const states = async (name: string, formerNames: readonly string[]) => {
      const found = ids.map((id) => requestStatus({ ...of, name, formerNames }, id))
      return (await Promise.all(found)).map(({ state }) => state)
    }
    const [DONE, NONE] = ['completed', 'unknown']
    await expect(states('third', ['first', 'second'])).resolves.toEqual([DONE, DONE, DONE, NONE])
    await expect(states('third', [])).resolves.toEqual([NONE, NONE, DONE, NONE])
    await expect(states('first', [])).resolves.toEqual([DONE, NONE, NONE, NONE])
    clock.advance(60 * DAY_MS)
    const renamed = { ...of, name: 'third', formerNames: ['first', 'second'] }
    const status = await requestStatus(renamed, 'under-second')
    expect(status).toEqual({ state: 'unknown', possible: ['forgotten'] })
  })

  it('is dead for good where its death is final', async () => {
    const { cloud, jobs, status, send } = open(
      () => {
        throw new TerminalError('never')
      },
      { onFailure: () => {}, dead: 'final' },
    )
    send()
    await cloud.drain({ jobs })
    await expect(status()).resolves.toEqual({ state: 'dead', reason: 'terminal', final: true })
  })
})

/** The handler claims in turns of the event loop, not after a time. */
async function untilState(status: () => Promise<{ readonly state: string }>, state: string) {
  for (let turn = 0; turn < 1_000; turn++) {
    const found = await status()
    if (found.state === state) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`it was never ${state}`)
}

describe('what the table says otherwise', () => {
  it('is an error where an item cannot be read, and not unknown', async () => {
    const store = memoryStore()
    await store.create([{ pk: 'lock#jobs/r1', sk: 'token', status: 'of another world' }])
    await expect(requestStatus({ store, name: 'jobs' }, 'r1')).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
    })
  })

  it('is an error where the table gives no answer', async () => {
    const store = memoryStore()
    const error = new Error('no answer')
    store.read = async () => [{ kind: 'failed', error }]
    await expect(requestStatus({ store, name: 'jobs' }, 'r1')).rejects.toBe(error)
  })

  it('is read by one consistent GetItem, and by nothing else', async () => {
    const calls: unknown[] = []
    const send = async (command: { readonly input: object }) => {
      calls.push({ command: command.constructor.name, ...command.input })
      return {}
    }
    const client = { send, config: {} } as unknown as DynamoDBClient
    const store = dynamoDbStore({ tableName: 'table', client })
    await requestStatus({ store, name: 'jobs' }, 'r1')
    expect(calls).toEqual([
      {
        command: 'GetItemCommand',
        TableName: 'table',
        Key: { pk: { S: 'lock#jobs/r1' }, sk: { S: 'token' } },
        ConsistentRead: true,
      },
    ])
  })
})

describe('waitFor', () => {
  it('reads until the request has ended', async () => {
    const { cloud, clock, jobs, of, send } = open(() => {})
    send()
    let looks = 0
    clock.sleep = async () => {
      looks += 1
      if (looks === 3) await cloud.drain({ jobs })
      if (looks > 100) throw new Error('it never ends')
    }
    await expect(requestStatus({ ...of, waitFor: '5s' }, 'r1')).resolves.toMatchObject({
      state: 'completed',
    })
    expect(looks).toBe(3)
  })

  it('gives what it saw last when its time is over', async () => {
    const { clock, of } = open(() => {})
    const pauses: number[] = []
    clock.sleep = async (pause) => {
      if (pauses.push(pause) > 1_000) throw new Error('it never ends')
      clock.advance(pause)
    }
    await expect(requestStatus({ ...of, waitFor: '5s' }, 'r1')).resolves.toMatchObject({
      state: 'unknown',
    })
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 1_900])
    pauses.length = 0
    await expect(requestStatus(of, 'r1')).resolves.toMatchObject({ state: 'unknown' })
    expect(pauses).toEqual([])
    const begun = clock.now()
    await requestStatus({ ...of, waitFor: '15m' }, 'r1')
    expect(clock.now() - begun).toBe(15 * 60_000)
  })
})

it.each([
  [{}, 'store'],
  [{ store: memoryStore(), name: '' }, 'name'],
  [{ store: memoryStore(), name: 'jobs', sentAt: 'yesterday' }, 'sentAt'],
  [{ store: memoryStore(), name: 'jobs', waitFor: '5 s' }, 'waitFor'],
  [{ store: memoryStore(), name: 'jobs', waitFor: '16m' }, 'waitFor'],
  [{ store: memoryStore(), name: 'jobs', waitFor: 900_001 }, "at most '15m'"],
  [{ store: memoryStore(), name: 'jobs', formerNames: 'job' }, 'formerNames'],
  [{ store: memoryStore(), name: 'jobs', retention: 'long' }, 'retention'],
  [{ store: memoryStore(), name: 'jobs', key: 'k' }, 'key'],
  [{ flow: { reset: async () => {} }, key: 'k' }, 'flow'],
  [{ flow: { reset: async () => {} } }, 'key'],
])('names the wrong option: %j', async (of, named) => {
  const asked = requestStatus(of as Parameters<typeof requestStatus>[0], 'r1')
  await expect(asked).rejects.toBeInstanceOf(ConfigError)
  await expect(asked).rejects.toThrow(named)
})

it('refuses an id that is missing', async () => {
  const asked = requestStatus({ store: memoryStore(), name: 'jobs' }, '')
  await expect(asked).rejects.toThrow('requestStatus: id: expected')
})
