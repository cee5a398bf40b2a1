import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawnRows, MOST_ROWS, moved } from '../../../../src/tools/console/app/parts/window.ts'

describe('rows that are drawn', () => {
  it('are all of a short list', () => {
    expect(drawnRows(60, { top: 900, height: 100, row: 32 })).toEqual({ first: 0, end: 60 })
  })

  it('are at most 60, and have every row that can be seen, wherever it is scrolled', () => {
    const numbers = fc.record({
      count: fc.nat(100_000),
      top: fc.double({ min: 0, max: 3_200_000, noNaN: true }),
      height: fc.integer({ min: 0, max: 1_400 }),
    })
    fc.assert(
      fc.property(numbers, ({ count, top, height }) => {
        const row = 32
        const { first, end } = drawnRows(count, { top, height, row })
        expect(end - first).toBeLessThanOrEqual(MOST_ROWS)
        expect(first).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThanOrEqual(count)
        const scrolled = Math.min(top, Math.max(0, count * row - height))
        expect(first * row).toBeLessThanOrEqual(scrolled)
        expect(end * row).toBeGreaterThanOrEqual(Math.min(count * row, scrolled + height))
      }),
    )
  })
})

describe('a key', () => {
  it.each([
    ['j', 3, 4],
    ['ArrowDown', 9, 9],
    ['k', 3, 2],
    ['ArrowUp', 0, 0],
    ['PageDown', 3, 8],
    ['PageUp', 3, 0],
    ['Home', 3, 0],
    ['End', 3, 9],
    ['x', 3, undefined],
  ])('%s moves from %d to %o', (key, from, to) => {
    expect(moved(key, from, { count: 10, page: 5 })).toBe(to)
  })

  it('moves nowhere without rows', () => {
    expect(moved('j', 0, { count: 0, page: 5 })).toBeUndefined()
  })
})
