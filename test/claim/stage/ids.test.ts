import { expect, it } from 'vitest'
import { stableId } from '../../../src/library/base/ids.ts'
import { sortableId } from '../../../src/library/base/sortableId.ts'

it('gives the same parts the same id, on every machine and in every version', () => {
  expect(stableId('a', 'bc')).toBe('UxClh4h4GrJdWtfD-FA1gktOt736OU4KwhhicUcrVJI')
  expect(stableId('a', 'bc')).toMatch(/^[\w-]{43}$/)
})

it('gives other parts another id', () => {
  const ids = [stableId('a', 'bc'), stableId('ab', 'c'), stableId('abc'), stableId('a', 'bc', '')]
  expect(new Set(ids).size).toBe(ids.length)
})

it('gives ids that differ, and sort by their time', () => {
  const [early, late] = [sortableId(1_000), sortableId(2_000)]
  expect(early < late).toBe(true)
  const many = Array.from({ length: 500 }, () => sortableId(1_000))
  expect(new Set(many).size).toBe(500)
  for (const id of many) expect(id).toMatch(/^0000000[0-9A-Z]{19}$/)
  for (const at of Array.from({ length: 16 }, (_, index) => index + 10))
    expect(new Set(many.map((id) => id[at])).size).toBeGreaterThan(20)
})
