import { afterAll, beforeAll, expect, it } from 'vitest'
import { countSecondAttempt } from './measure/seconds.ts'
import { startDatabase, type Database } from './database/startDatabase.ts'

let database: Database

beforeAll(async () => {
  database = await startDatabase()
})

afterAll(() => database.stop())

/**
 * Requests a record that failed costs when it comes back: what an outage of something else costs. `db`: to DynamoDB, `sqs`: to SQS;
 * `units`: write units on the table and its index.
 * Changed? See counts.test.ts.
 */
const BUDGETS = [
  { kind: 'record', second: 'ends well', size: 10, db: 0.3, sqs: 0, units: 5 },
  { kind: 'record', second: 'ends well', size: 100, db: 0.1, sqs: 0, units: 5 },
  { kind: 'record', second: 'fails again', size: 10, db: 0.4, sqs: 0.1, units: 7 },
  { kind: 'record', second: 'fails again', size: 100, db: 0.14, sqs: 0.11, units: 7 },
  { kind: 'record', second: 'is the last', size: 10, db: 0.4, sqs: 0.1, units: 9 },
  { kind: 'record', second: 'is the last', size: 100, db: 0.14, sqs: 0.11, units: 9 },
  { kind: 'record', second: 'comes too early', size: 10, db: 0.1, sqs: 0.1, units: 0 },
  { kind: 'record', second: 'comes too early', size: 100, db: 0.02, sqs: 0.1, units: 0 },
  { kind: 'flow', second: 'ends well', size: 10, db: 0.3, sqs: 0, units: 4 },
  { kind: 'flow', second: 'ends well', size: 100, db: 0.09, sqs: 0, units: 4 },
  { kind: 'flow', second: 'fails again', size: 10, db: 0.4, sqs: 0.1, units: 4 },
  { kind: 'flow', second: 'fails again', size: 100, db: 0.13, sqs: 0.1, units: 4 },
  { kind: 'flow', second: 'is the last', size: 10, db: 0.6, sqs: 0.1, units: 7 },
  { kind: 'flow', second: 'is the last', size: 100, db: 0.18, sqs: 0.1, units: 7 },
  { kind: 'flow', second: 'comes too early', size: 10, db: 0.1, sqs: 0.1, units: 0 },
  { kind: 'flow', second: 'comes too early', size: 100, db: 0.01, sqs: 0.1, units: 0 },
] as const

it.each(BUDGETS)('a $kind whose second attempt $second, $size at once', async (budget) => {
  expect({ ...budget, ...(await countSecondAttempt(database, budget)) }).toEqual(budget)
})
