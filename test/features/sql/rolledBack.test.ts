import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { type PostgresPool, poolClient } from '../../../src/library/features/sql/pool.ts'

/** A pool whose server answers a COMMIT like this. */
function poolWith(answer: string): { readonly pool: PostgresPool; readonly asked: string[] } {
  const asked: string[] = []
  const client = Object.assign(new EventEmitter(), {
    query: async (text: string) => {
      asked.push(text)
      return { rows: [], rowCount: null, command: text === 'COMMIT' ? answer : text }
    },
    release: () => {},
  })
  const pool = Object.assign(new EventEmitter(), { connect: async () => client })
  return { pool, asked }
}

it('a transaction that the server has rolled back at COMMIT has not been made', async () => {
  const { pool, asked } = poolWith('ROLLBACK')
  const made = poolClient(pool, 'READ COMMITTED').transaction(async () => 'made')
  await expect(made).rejects.toMatchObject({ code: 'RETRYABLE' })
  expect(asked).toEqual(['BEGIN ISOLATION LEVEL READ COMMITTED', 'COMMIT', 'ROLLBACK'])
})

it('one that it has committed has been made', async () => {
  const { pool } = poolWith('COMMIT')
  const made = poolClient(pool, 'READ COMMITTED').transaction(async () => 'made')
  expect(await made).toBe('made')
})
