import { describe, expect, it } from 'vitest'
import type { FencedDatabase } from '../../../../src/library/features/sql/database.ts'
import { transactSql } from '../../../../src/library/features/sql/transact.ts'
import { whyFailed } from '../../../../src/library/features/sql/setUpError.ts'

/** A database whose transactions fail with these errors, one after the other. */
function failing(
  errors: readonly Error[],
  ms = 0,
): FencedDatabase<undefined> & { calls(): number } {
  let calls = 0
  return {
    calls: () => calls,
    whyFailed,
    transaction: async () => {
      calls += 1
      await new Promise((resolve) => setTimeout(resolve, ms))
      throw errors[Math.min(calls, errors.length) - 1] ?? LOST
    },
  }
}

const LOST = Object.assign(new Error('Connection terminated unexpectedly'), { code: '08006' })
const CONFLICT = Object.assign(new Error('could not serialize access'), { code: '40001' })
const run = (database: FencedDatabase<undefined>, left: number) =>
  transactSql(database, left, () => Promise.resolve('made'))

describe('a transaction whose time is up', () => {
  it('says that nothing was done if it never began, or was rolled back each time', async () => {
    const text = 'nothing was done'
    await expect(run(failing([LOST]), 0)).rejects.toMatchObject({ code: 'RETRYABLE' })
    await expect(run(failing([CONFLICT], 30), 20)).rejects.toThrow(text)
  })

  it('does not say so once a COMMIT may have been lost', async () => {
    const unknown = { code: 'STORE_UNAVAILABLE', reason: 'noAnswer', cause: LOST }
    await expect(run(failing([LOST], 30), 20)).rejects.toMatchObject(unknown)
    await expect(run(failing([LOST, CONFLICT], 30), 55)).rejects.toMatchObject(unknown)
  })
})

describe('a transaction that fails', () => {
  it('is made again three times when its connection is lost, and twelve times in a conflict', async () => {
    const [lost, conflict] = [failing([LOST]), failing([CONFLICT])]
    await expect(run(lost, 60_000)).rejects.toThrow(
      'the SQL database gave no answer: Error: Connection terminated',
    )
    await expect(run(conflict, 60_000)).rejects.toMatchObject({ reason: 'busy' })
    expect([lost.calls(), conflict.calls()]).toEqual([4, 13])
  })

  it('is not made again for an error of the function', async () => {
    const database = failing([new Error('sold out')])
    await expect(run(database, 60_000)).rejects.toThrow('sold out')
    expect(database.calls()).toBe(1)
  })

  it.each(['SUPERSEDED', 'CONFIG', 'STORE_UNAVAILABLE', 'RETRYABLE', 'TERMINAL'])(
    'is not made again for an error of Lineclear: %s',
    async (code) => {
      const database = failing([Object.assign(new Error('ours', { cause: LOST }), { code })])
      await expect(run(database, 60_000)).rejects.toThrow('ours')
      expect(database.calls()).toBe(1)
    },
  )
})
