import type { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complete } from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import { startCloud } from '../../tools/cli/operatorHarness.ts'
import { lostAttempts, MINUTE } from './lostAttempts.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

describe.each(['memory', 'DynamoDB'] as const)('in %s', (kind) => {
  it('a first attempt that was killed, and whose message is gone, is listed within minutes', async () => {
    const { clock, killed, sweeper, isListed, lines } = await lostAttempts(kind, cloud)
    await killed('r1')
    const sweep = sweeper()
    let minutes = 0
    for (; minutes < 60 && !(await isListed('r1')); minutes++) {
      clock.advance(MINUTE)
      await sweep()
    }
    expect(minutes).toBeLessThanOrEqual(10)
    expect(await sweep()).toMatchObject({ looked: 1, overdue: 1 })
    expect(lines.at(-2)).toMatchObject({
      level: 'warn',
      message: 'overdue: its attempt was lost, or its message is gone',
      pk: 'lock#orders/r1',
      lockedBy: expect.stringContaining('/'),
    })
    expect(lines.at(-1)).toMatchObject({ message: 'swept', missingTasks: 1 })
  })

  it('a message that comes back after it was listed runs once, and is listed no longer', async () => {
    const { clock, killed, sweeper, isListed, deliver, ran } = await lostAttempts(kind, cloud)
    await killed('r1')
    clock.advance(10 * MINUTE)
    expect(await sweeper()()).toMatchObject({ found: 1 })
    await deliver('r1')
    await deliver('r1')
    expect(ran).toEqual(['r1'])
    expect(await isListed('r1')).toBe(false)
    expect(await sweeper()()).toMatchObject({ looked: 0 })
  })

  it('listing changes nothing but the index', async () => {
    const { clock, killed, sweeper, item } = await lostAttempts(kind, cloud)
    await killed('r1')
    const before = await item('r1')
    clock.advance(10 * MINUTE)
    await sweeper()()
    const { statusShard, dueAt, ...after } = (await item('r1')) ?? {}
    expect(after).toEqual(before)
    expect([statusShard, dueAt]).toEqual([
      expect.stringMatching(/^inProgress#\d$/),
      before?.['leaseUntil'],
    ])
  })

  it('an attempt that was taken for lost and completes leaves the list with the next sweep', async () => {
    const { clock, store, killed, sweeper, item, isListed } = await lostAttempts(kind, cloud)
    await killed('r1')
    const held = readToken((await item('r1')) ?? {})
    if (held === undefined) throw new Error('no token')
    clock.advance(10 * MINUTE)
    await sweeper()()
    const [end] = await store.update([complete(held, clock.now(), 1_000)])
    expect(end?.kind).toBe('applied')
    expect(await isListed('r1')).toBe(true)
    expect(await sweeper()()).toMatchObject({ looked: 1, unlisted: 1 })
    expect(await isListed('r1')).toBe(false)
  })

  it('what another delivery has claimed since the search has read it is not listed', async () => {
    const { clock, store, killed, sweeper, deliver, isListed, ran } = await lostAttempts(
      kind,
      cloud,
    )
    await killed('r1')
    clock.advance(10 * MINUTE)
    let raced = false
    const late: Store = {
      ...store,
      update: async (updates) => {
        if (!raced && updates.some(({ key }) => key.sk === 'token')) {
          raced = true
          await deliver('r1')
        }
        return store.update(updates)
      },
    }
    const report = await sweeper({ store: late })()
    expect([raced, report.found, ran]).toEqual([true, undefined, ['r1']])
    expect(await isListed('r1')).toBe(false)
  })

  it('search: false searches nothing', async () => {
    const { clock, killed, sweeper, isListed } = await lostAttempts(kind, cloud)
    await killed('r1')
    clock.advance(10 * MINUTE)
    await sweeper({ search: false })()
    expect(await isListed('r1')).toBe(false)
  })

  it('a turn begins every 5 minutes, also for a sweeper that has just begun', async () => {
    const { clock, killed, sweeper, isListed } = await lostAttempts(kind, cloud)
    await sweeper()()
    await killed('r1')
    clock.advance(4 * MINUTE)
    await sweeper()()
    expect(await isListed('r1')).toBe(false)
    clock.advance(MINUTE)
    await sweeper()()
    expect(await isListed('r1')).toBe(true)
  })
})

/** Pages of three items. */
async function pagedTable() {
  const harness = await lostAttempts('DynamoDB', cloud)
  const { store, killed, clock } = harness
  const ids = Array.from({ length: 12 }, (_, n) => `r${n}`)
  await killed(...ids)
  clock.advance(10 * MINUTE)
  const client = (): DynamoDBClient => {
    const send = async (command: ScanCommand) => {
      command.input.Limit = 3
      return cloud.dynamodb.send(command)
    }
    return { send } as unknown as DynamoDBClient
  }
  const { tableName } = store.source ?? { tableName: '' }
  const listed = async () =>
    (await Promise.all(ids.map(harness.isListed))).filter((each) => each).length
  return {
    ...harness,
    listed,
    paged: { ...store, source: { tableName, client: () => Promise.resolve(client()) } },
  }
}

const FEW = { search: { readUnits: 1 } } as const

it('a large table is read in several runs, each by another process, and all of it', async () => {
  const { sweeper, paged, listed } = await pagedTable()
  const after: number[] = []
  for (let run = 0; run < 5; run++) {
    await sweeper({ store: paged, ...FEW })()
    after.push(await listed())
  }
  expect(after[0]).toBeLessThan(12)
  expect(after).toEqual(after.toSorted((one, other) => one - other))
  expect(after.at(-1)).toBe(12)
})

it('a turn that takes longer than a quarter of an hour says so, and what it needs', async () => {
  const { sweeper, paged, clock, lines } = await pagedTable()
  const said = (): string[] =>
    lines.flatMap(({ message }) => (message.startsWith('a turn of the search') ? [message] : []))
  const run = (): Promise<unknown> => sweeper({ store: paged, ...FEW })()
  await run()
  expect(said()).toEqual([])
  clock.advance(20 * MINUTE)
  await run()
  expect(said()).toEqual([
    expect.stringMatching(/has taken 20 minutes: .* search: { readUnits: 2 } or more/),
  ])
  for (let left = 0; left < 6; left++) await run()
  expect(said()).toHaveLength(2)
  expect(said()[1]).toMatch(/took 20 minutes: .* search: { readUnits: 2 }, or/)
})

it('a run that is killed before it keeps its place is read again by the next one', async () => {
  const { sweeper, paged, listed } = await pagedTable()
  const dying: Store = {
    ...paged,
    create: async () => [{ kind: 'failed', error: new Error('no answer') }],
  }
  await sweeper({ store: dying, ...FEW })()
  await sweeper({ store: paged })()
  expect(await listed()).toBe(12)
})

it('two sweepers at once read the same at worst, and list all of it', async () => {
  const { sweeper, paged, listed, lines } = await pagedTable()
  const sweeps = [sweeper({ store: paged }), sweeper({ store: paged })]
  await Promise.all(sweeps.map((sweep) => sweep()))
  expect(await listed()).toBe(12)
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('without dynamodb:Scan the rest is swept, and that is logged once', async () => {
  const { store, killed, sweeper, clock, lines } = await lostAttempts('DynamoDB', cloud)
  await killed('r1')
  clock.advance(10 * MINUTE)
  const denied = Object.assign(new Error('not authorized to perform: dynamodb:Scan'), {
    name: 'AccessDeniedException',
  })
  const client = { send: async () => Promise.reject(denied) }
  const source = { tableName: 'lineclear', client: () => Promise.resolve(client as never) }
  const sweep = sweeper({ store: { ...store, source } })
  await sweep()
  clock.advance(6 * MINUTE)
  await sweep()
  const said = lines.filter(({ message }) => message.startsWith('not searched'))
  expect(said).toMatchObject([{ level: 'warn', message: expect.stringMatching(/dynamodb:Scan/) }])
})

it('a row of the search that cannot be read is written anew', async () => {
  const { store, killed, sweeper, clock, isListed } = await lostAttempts('DynamoDB', cloud)
  await store.create([{ pk: 'searches', sk: 'lost attempts', begun: 'soon', after: '[' }])
  await killed('r1')
  clock.advance(10 * MINUTE)
  await sweeper()()
  expect(await isListed('r1')).toBe(true)
  await killed('r2')
  await sweeper()()
  expect(await isListed('r2')).toBe(false)
})
