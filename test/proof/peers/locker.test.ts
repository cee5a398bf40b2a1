import { lockTokens } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { assert, afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { countRequests, intercept, serviceError } from '../../store/seam.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud(
    { tables: { lineclear: tableDefinition() } },
    { logger: quietLogger() },
  )
})
afterAll(() => cloud.stop())

const MINUTE = 60_000
const logger = quietLogger()

/** The faults of a hand-made Locker class: Lineclear has none of them. */
describe('Locker', () => {
  it('1: a transaction and a hook into the raw response, to read the existing item', async () => {
    const requests = countRequests(cloud.dynamodb)
    const locker = lockTokens({
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      name: 'default',
      logger,
    })
    await locker.begin('one', 'me', MINUTE)
    expect((await locker.begin('one', 'me', MINUTE)).existing).toMatchObject({ lockedBy: 'me' })
    expect(requests).toEqual(['PutItemCommand', 'PutItemCommand'])
  })

  it('2: two begins at once collide, and the loser believes the work is done', async () => {
    await using own = await startLocalCloud(
      { tables: { lineclear: tableDefinition() } },
      { logger },
    )
    intercept(own.dynamodb, 'inside', async () => {
      throw serviceError('TransactionConflictException')
    })
    const store = dynamoDbStore({ tableName: 'lineclear', client: own.dynamodb, random: () => 0 })
    const begun = lockTokens({ store, name: 'default', logger }).begin('two', 'me', MINUTE)
    await expect(begun).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('3: the ttl is in milliseconds, so that nothing ever expires', async () => {
    const store = memoryStore()
    const clock = fakeClock(Date.UTC(2026, 0, 1))
    const lock = await lockTokens({ store, name: 'default', clock, logger, retention: '1d' }).begin(
      't',
      'me',
      MINUTE,
    )
    assert(lock.existing === undefined)
    await lock.endWithSuccess('ok')
    expect(store.items()[0]?.['ttl']).toBe(Date.UTC(2026, 0, 2) / 1_000)
  })

  it('4: two invocations on one host are the same owner, and end each other’s work', async () => {
    const store = memoryStore()
    const clock = fakeClock()
    const locker = lockTokens<string>({ store, name: 'default', clock, logger })
    const first = await locker.begin('t', 'host', MINUTE)
    clock.advance(2 * MINUTE)
    const second = await locker.begin('t', 'host', MINUTE)
    assert(first.existing === undefined && second.existing === undefined)
    expect(await first.endWithSuccess('of the first')).toEqual({ kind: 'taken over' })
    expect(await second.endWithSuccess('of the second')).toEqual({ kind: 'marked' })
    expect((await locker.begin('t', 'host', MINUTE)).existing?.result).toBe('of the second')
  })

  it('5: no release, and no takeover from a dead holder', async () => {
    const clock = fakeClock()
    const locker = lockTokens({ store: memoryStore(), name: 'default', clock, logger })
    const lock = await locker.begin('t', 'me', MINUTE)
    assert(lock.existing === undefined)
    await lock.release()
    expect((await locker.begin('t', 'me', MINUTE)).existing).toBeUndefined()
    clock.advance(MINUTE + 5_000)
    expect((await locker.begin('t', 'me', MINUTE)).existing).toBeUndefined()
  })

  it('6: (right there, and here) a status for what is done would put it into the status index', async () => {
    const store = memoryStore()
    const lock = await lockTokens({ store, name: 'default', logger }).begin('t', 'me', MINUTE)
    assert(lock.existing === undefined)
    await lock.endWithSuccess('ok')
    expect(Object.keys(store.items()[0] ?? {})).not.toEqual(expect.arrayContaining(['status']))
    expect(Object.keys(store.items()[0] ?? {})).not.toEqual(expect.arrayContaining(['statusShard']))
  })
})
