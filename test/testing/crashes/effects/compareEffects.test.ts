import { describe, expect, it } from 'vitest'
import { compareEffects } from '../../../../src/testing/crashes/effects/compareEffects.ts'
import type { Effects } from '../../../../src/testing/crashes/effects/effects.ts'

function effects(stock: number, failureReported = false): Effects {
  return {
    counts: new Map(),
    rows: new Map([['stock', { left: stock }]]),
    seeded: new Map([['stock', { left: 10 }]]),
    held: new Set(),
    clashes: [],
    contents: new Map(),
    orders: new Map(),
    completed: new Set(),
    refusals: failureReported ? ['it is down'] : [],
    givenUp: [],
    dead: new Map(),
  }
}

const anomalies = (...[expected, found]: Parameters<typeof compareEffects>) =>
  compareEffects(expected, found).map(({ anomaly }) => anomaly)

// The start is 10, and without faults 3 are taken: 7 are left.
describe('a sum that should go from 10 to 7', () => {
  it.each([
    [7, []],
    [8, ['lost']],
    // As it was at the start.
    [10, ['stale']],
    [4, ['doubled']],
    [6, ['doubled']],
    [11, ['doubled']],
    [13, ['doubled']],
    [20, ['doubled']],
  ])('and is %i', (stock, expected) => {
    expect(anomalies(effects(7), effects(stock))).toEqual(expected)
  })

  it.each([
    [10, []],
    [11, ['doubled']],
    [13, ['doubled']],
  ])('and is %i beside a dead letter, which excuses only what is missing', (stock, expected) => {
    expect(anomalies(effects(7), effects(stock, true))).toEqual(expected)
  })
})
