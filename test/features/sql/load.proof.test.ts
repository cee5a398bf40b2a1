import { Pool } from 'pg'
import { postgresEffects } from 'lineclear/postgres'
import { expect, it, onTestFinished } from 'vitest'
import { attempt, book, sqlOf } from './attempts.ts'
import { openDatabase, poolOf, server } from './database.ts'
import { type Cut, proxyTo } from './proxy.ts'

const REQUESTS = 250
const ATTEMPTS = 3

it('250 requests with three attempts at once, their sockets destroyed around COMMIT: 250 marks, 250 effects', async () => {
  const { version } = await server()
  const database = await openDatabase()
  let commits = 0
  // Two of five: one before, one after it has arrived.
  const cutNow = (): Cut | undefined =>
    ({ 0: 'before COMMIT', 1: 'after COMMIT' } as const)[(commits += 1) % 5]
  const proxy = await proxyTo(database.url, cutNow)
  const effects = postgresEffects(poolOf(proxy.url, { max: 40 }))
  const tally = { made: 0, superseded: 0, unanswered: 0 }
  const run = async (request: number, fence: number): Promise<void> => {
    const by = attempt(fence, { subject: `lock#a/${request}` })
    try {
      if (fence > 1) await effects.raise(by)
      await sqlOf(effects, by).sql('book', (tx) => book(tx, `${fence}`, `${request}`))
      tally.made += 1
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === 'SUPERSEDED') tally.superseded += 1
      else if (code === 'STORE_UNAVAILABLE') tally.unanswered += 1
      else throw error
    }
  }
  const all = Array.from({ length: REQUESTS * ATTEMPTS }, (_, index) =>
    run(Math.floor(index / ATTEMPTS), (index % ATTEMPTS) + 1),
  )
  await Promise.all(all)
  // The attempts that are delivered again.
  const calm = postgresEffects(calmPool(database.url))
  for (let request = 0; request < REQUESTS; request += 1) {
    const by = attempt(ATTEMPTS + 1, { subject: `lock#a/${request}` })
    await calm.raise(by)
    await sqlOf(calm, by).sql('book', (tx) => book(tx, 'last', `${request}`))
  }
  const { rows } = await database.pool.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM bookings GROUP BY id',
  )
  console.log(
    `PostgreSQL ${version}: ${REQUESTS} requests, ${JSON.stringify(tally)}, ${proxy.cuts} connections cut`,
  )
  expect(rows).toHaveLength(REQUESTS)
  expect(new Set(rows.map(({ n }) => n))).toEqual(new Set([1]))
  expect(await database.count('lineclear_mark')).toBe(REQUESTS)
})

function calmPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString })
  onTestFinished(() => pool.end())
  return pool
}
