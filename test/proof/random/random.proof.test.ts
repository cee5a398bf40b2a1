import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dynamoDbStore } from '../../../src/library/adapters/store/dynamodb/index.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'
import { PATIENCE, settings } from '../fuzz/settings.ts'
import { createTables, type Engine, startDynoxide } from '../../store/dynoxide.ts'
import { found } from './found.ts'
import { openHistory, rest, take } from './history.ts'
import { judge } from './judge.ts'
import { POLICIES, type Policy } from './fixtures.ts'
import { type Step, steps } from './step.ts'
import { storePair } from './storePair.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

const ends = new Set<string>()

/** The broken promises after this history. */
async function play(policy: Policy, history: readonly Step[]): Promise<string[]> {
  const client = engine.client()
  const { tableName, userTable } = await createTables(client)
  const stores = storePair(memoryStore(), dynamoDbStore({ tableName, client }), userTable)
  const opened = openHistory(stores, userTable, policy)
  for (const step of history) await take(opened, step)
  const rests = await rest(opened)
  for (const end of opened.ends) ends.add(end)
  return rests ? judge(opened) : ['never comes to rest']
}

/** A history that fails is printed as it is, at its shortest: keep it in found.ts. */
describe('orders and a flow, by chance, on both stores', () => {
  it.each(POLICIES)('$order, $onConflict', { timeout: PATIENCE * 2 }, async (policy) => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        expect(await play(policy, history)).toEqual([])
      }),
      settings(8),
    )
  })

  it('in all ways in which a delivery can end', () => {
    // An end that never happened was not compared.
    const ways = ['completed', 'deadLettered', 'deferred', 'duplicate', 'replaced', 'resent']
    expect([...ends]).toEqual(expect.arrayContaining(ways))
    const dropped = ['alreadyDeadLettered', 'coalesced', 'dropped', 'reset', 'stale', 'superseded']
    expect(dropped.filter((way) => ends.has(way))).not.toEqual([])
  })

  it.each(found)('$why', async ({ policy, steps: history }) => {
    expect(await play(POLICIES[policy], history)).toEqual([])
  })
})
