import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ceilingsAt, type Load, priceOf } from '../../../src/tools/doctor/ceilings.ts'

const DAY = 86_400_000
const load = (given: Partial<Load> = {}): Load => ({
  rate: 100,
  failing: 0.01,
  batch: 10,
  retention: 30 * DAY,
  ...given,
})
const part = (of: string, given?: Partial<Load>) =>
  ceilingsAt(load(given)).find((each) => each.of === of)

describe('the ceilings of a rate', () => {
  it.each([
    [1_900, true, ''],
    [2_000, true, 'warm throughput to 4,140 write units'],
    [19_000, true, 'warm throughput to 39,330 write units'],
    [20_000, false, 'quota'],
  ])('a table at %i records a second: %s', (rate, fits, advice) => {
    const table = part('table', { rate })
    expect(table).toMatchObject({ fits })
    expect(table?.advice ?? '').toContain(advice)
    expect(table?.advice === undefined).toBe(advice === '')
  })

  it('an index takes four units of a record that fails', () => {
    expect(part('index', { rate: 2_000, failing: 1 })).toMatchObject({ fits: true })
    expect(part('index', { rate: 2_001, failing: 1 })).toMatchObject({ fits: false })
    expect(part('index', { rate: 2_001, failing: 0 })?.advice).toContain('circuit breaker')
  })

  it('a search reads all that is remembered, and what is lost is found that late', () => {
    const held = { rate: 1, retention: 3 * DAY }
    expect(part('search', held)).toMatchObject({ fits: true })
    const late = part('search', { rate: 10 })
    expect(late).toMatchObject({ fits: false })
    expect(late?.needs).toBe('26 million items: a turn takes 21 hours')
    expect(late?.advice).toContain('readUnits: 84_375')
    expect(part('search', { rate: 1_000 })?.advice).toContain('shorter retention')
  })

  it.each(['delays', 'one row', 'one key'])('whether %s fit is not known from a rate', (of) => {
    expect(part(of, { rate: 1e6 })).toMatchObject({ fits: undefined })
  })

  it('a month has the price of the units and requests that tests count', () => {
    const { writes, queue } = priceOf(load({ rate: 1, failing: 0 }))
    // A record: 2 write units, and a tenth of a receive and of a delete.
    expect(writes / (2 * 0.625e-6)).toBeCloseTo(2_630_000)
    expect(queue / (0.2 * 0.4e-6)).toBeCloseTo(2_630_000)
  })
})

it('the README says what two rates need and cost', () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../../src/tools/README.md'), 'utf8')
  const said = readme.replaceAll(/\s+/g, ' ')
  for (const rate of [100, 10_000]) {
    const [table] = ceilingsAt(load({ rate }))
    const price = priceOf(load({ rate }))
    const dollars = price.writes + price.queue + price.storage + price.search
    const [records, usd] = [rate, dollars].map((each) =>
      each.toLocaleString('en', { maximumFractionDigits: 0 }),
    )
    expect(said).toContain(
      `${records} records a second need ${table?.needs} and cost USD ${usd} a month`,
    )
  }
})
