import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { exploredIn, withExplored } from './explored.ts'

const PAGE = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8')

it('a night adds to what the page says, and changes nothing else of it', () => {
  const before = exploredIn(PAGE)
  const after = withExplored(PAGE, { histories: 2_000, operations: 512_345, wrong: 1 })
  expect(exploredIn(after)).toEqual({
    histories: before.histories + 2_000,
    operations: before.operations + 512_345,
    wrong: before.wrong + 1,
  })
  const row = /^\|[\d,|]+$/m
  expect(after.replace(row, '')).toBe(PAGE.replace(row, ''))
})

it('a page without the sum is refused', () => {
  expect(() => withExplored('# A page', { histories: 1, operations: 1, wrong: 0 })).toThrow(
    'does not say',
  )
})
