import { expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Prices of us-east-1 in November 2026, on demand, in US dollars. */
const PRICE = { writes: 0.625e-6, reads: 0.125e-6, sqs: 0.4e-6, gigabyte: 0.25 }
const SECONDS_A_MONTH = 2_630_000
const DAYS = 30
const ITEM_BYTES = 400
const FAILING = 0.01

/** Write units of a record that ends well at once, and in addition if it fails first: test/bench counts them. */
const unitsAt = (rate: number): number => rate * (2 + 7 * FAILING)

/** Batches of 10: received and deleted; a failure is sent again, received and deleted. The search reads 1,000 units a minute at most. */
function priceAt(rate: number): number {
  const items = rate * DAYS * 86_400
  const turn = (items * ITEM_BYTES) / 8_192
  return (
    unitsAt(rate) * SECONDS_A_MONTH * PRICE.writes +
    ((rate * (2 + 3 * FAILING)) / 10) * SECONDS_A_MONTH * PRICE.sqs +
    ((items * ITEM_BYTES) / 1e9) * PRICE.gigabyte +
    Math.min(1_000, turn / 5) * (SECONDS_A_MONTH / 60) * PRICE.reads
  )
}

it.each([100, 10_000])('the README says what %i records a second need and cost', (rate) => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../../src/tools/README.md'), 'utf8')
  const [records, units, usd] = [rate, unitsAt(rate), priceAt(rate)].map((each) =>
    Math.round(each).toLocaleString('en'),
  )
  expect(readme.replaceAll(/\s+/g, ' ')).toContain(
    `${records} records a second need ${units} write units a second and cost USD ${usd} a month`,
  )
})
