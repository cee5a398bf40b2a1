import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type FenceRow, raised } from '../../../src/library/features/sql/effects.ts'
import { attempt, DAY } from './attempts.ts'
import { openDatabase } from './database.ts'

const STAGES = ['', 'book', 'pay']

const rows = fc.option(
  fc.record({
    epoch: fc.integer({ min: 0, max: 2 }),
    stages: fc.dictionary(fc.constantFrom(...STAGES), fc.integer({ min: 1, max: 3 }), {
      maxKeys: 3,
    }),
    isExpired: fc.boolean(),
  }),
)
const asked = fc.record({
  epoch: fc.integer({ min: 0, max: 2 }),
  stage: fc.constantFrom(...STAGES),
  fence: fc.integer({ min: 1, max: 3 }),
})

it('the statement of the gate decides as the rule in TypeScript, on any row', async () => {
  const { effects, pool } = await openDatabase()
  const given = fc.sample(fc.tuple(rows, asked), { numRuns: 100, seed: 7 })
  for (const [row, fencing] of given) {
    await pool.query('DELETE FROM lineclear_fence')
    const before = row && { ...row, expires: Date.now() + (row.isExpired ? -DAY : DAY) }
    if (before !== null) {
      await pool.query('INSERT INTO lineclear_fence VALUES ($1, $2, $3, to_timestamp($4))', [
        'lock#a/1',
        before.epoch,
        JSON.stringify(before.stages),
        before.expires / 1_000,
      ])
    }
    const by = attempt(fencing.fence, { ...fencing, retention: 30 * DAY })
    const expected = raised(before ?? undefined, by.fencing, 30 * DAY, Date.now())
    const passed = await effects.raise(by).then(
      () => true,
      () => false,
    )
    const { rows: found } = await pool.query<FenceRow & { epoch: string }>(
      'SELECT epoch, stages FROM lineclear_fence',
    )
    const after = expected ?? before
    expect({ passed, row: found.map(({ epoch, stages }) => [Number(epoch), stages]) }).toEqual({
      passed: expected !== undefined,
      row: after === null || after === undefined ? [] : [[after.epoch, after.stages]],
    })
  }
})
