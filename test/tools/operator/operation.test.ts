import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  loadOperation,
  type BulkOperation,
  beginRun,
  type OperationRun,
} from '../../../src/tools/operator/dlq/operation.ts'
import { loadPlan, savePlan } from '../../../src/tools/operator/dlq/operationPlan.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import { testTime } from '../../flow/flowHarness.ts'

let cloud: LocalCloud
let nth = 0
beforeAll(async () => {
  cloud = await startLocalCloud({ tables: { lineclear: tableDefinition() } })
})
afterAll(() => cloud.stop())

async function engineStore(): Promise<Store> {
  const tableName = `operations-${(nth += 1)}`
  await cloud.dynamodb.send(new CreateTableCommand(tableDefinition({ tableName })))
  return dynamoDbStore({ tableName, client: cloud.dynamodb })
}

const NEW = { action: 'dlq redrive', args: ['dlq', 'redrive', 'dead'], by: 'ann' }
const IDS = [{ messageId: 'm1' }, { messageId: 'm2' }, { messageId: 'm3' }]

describe.each([
  ['the memory store', async () => memoryStore()],
  ['DynamoDB', engineStore],
])('a plan in %s', (_, open) => {
  async function planned() {
    const store = await open()
    const clock = testTime()
    const name = await savePlan(store, NEW, IDS, clock.now())
    const load = async (): Promise<BulkOperation> => {
      const operation = await loadOperation(store, name)
      if (operation === undefined) throw new Error('there is no plan')
      return operation
    }
    const begin = async (force = false, by = 'ann'): Promise<OperationRun> => {
      const run = await beginRun(store, await load(), { by, why: undefined, force, clock })
      if (!('report' in run)) throw new Error(`refused by ${run.by}`)
      return run
    }
    return { store, clock, name, load, begin }
  }

  it('has counted its first page when its command is killed at once, and the next ones ten times a second', async () => {
    const { clock, load, begin } = await planned()
    const run = await begin()
    await run.report(0)
    await run.report(10)
    expect((await load()).done).toBe(10)
    await run.report(20)
    expect((await load()).done).toBe(10)
    clock.advance(100)
    await run.report(20)
    expect((await load()).done).toBe(20)
  })

  it('has counted each page of the default rate when its command is killed', async () => {
    const { clock, load, begin } = await planned()
    const run = await begin()
    for (const done of [10, 20, 30]) {
      clock.advance(200)
      await run.report(done)
      expect((await load()).done).toBe(done)
    }
  })

  it('is found by its name with exactly its ids', async () => {
    const { store, name, load } = await planned()
    expect(await load()).toMatchObject({ ...NEW, name, planned: 3, state: 'planned', done: 0 })
    expect(await loadPlan(store, name)).toEqual(IDS)
    expect(await loadOperation(store, '00000000')).toBeUndefined()
  })

  it('has one name when it is made twice, and another one for other ids or another command', async () => {
    const { store, name, clock } = await planned()
    const again = (more: object, ids = IDS) =>
      savePlan(store, { ...NEW, ...more }, ids, clock.now())
    expect(await again({})).toBe(name)
    expect(await again({ by: 'bob' })).toBe(name)
    expect(await again({ args: ['dlq', 'redrive', 'other'] })).not.toBe(name)
    expect(await again({}, IDS.slice(1))).not.toBe(name)
  })

  it('is applied by one command at a time, until that one is dead', async () => {
    const { clock, load, begin } = await planned()
    const first = await begin()
    await expect(begin(false, 'bob')).rejects.toThrow('refused by ann')
    clock.advance(20_000)
    expect(await first.report(1)).toBeUndefined()
    clock.advance(20_000)
    await expect(begin(false, 'bob')).rejects.toThrow('refused by ann')
    clock.advance(10_001)
    const second = await begin(false, 'bob')
    clock.advance(2_000)
    expect(await first.report(2)).toBe('taken over')
    await first.end('done', 2)
    expect(await load()).toMatchObject({ state: 'running', by: 'bob', done: 1 })
    await second.end('done', 2)
    expect(await load()).toMatchObject({ state: 'done', done: 3, leaseUntil: 0 })
  })

  it('with --force is taken over at once', async () => {
    const { clock, begin } = await planned()
    const first = await begin()
    await begin(true, 'bob')
    clock.advance(1_000)
    expect(await first.report(1)).toBe('taken over')
  })

  it('is paused, and resumed', async () => {
    const { load, begin } = await planned()
    const run = await begin()
    expect(await run.report(1)).toBeUndefined()
    await run.end('paused', 3)
    expect(await load()).toMatchObject({ state: 'paused', done: 3 })
    const again = await begin()
    expect(await again.report(1)).toBeUndefined()
    await again.end('done', 1)
    expect(await load()).toMatchObject({ state: 'done', done: 4 })
  })

  it('shows how fast it is, what has failed in all its runs, and why it stopped, until it goes on', async () => {
    const { clock, load, begin } = await planned()
    const run = await begin()
    clock.advance(1_000)
    await run.report(1, { rate: 2, failed: 1 })
    expect(await load()).toMatchObject({ rate: 2, failed: 1, because: undefined })
    await run.end('stopped', 1, { failed: 1, because: 'x'.repeat(1_000) })
    expect(await load()).toMatchObject({ failed: 1, because: 'x'.repeat(300) })
    const again = await begin()
    expect(await load()).toMatchObject({ state: 'running', failed: 1, because: undefined })
    await again.end('done', 2, { failed: 1 })
    expect(await load()).toMatchObject({ state: 'done', failed: 2 })
  })
})
