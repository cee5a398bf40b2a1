import { describe, expect, it } from 'vitest'
import { CONDITIONS, mutantsOf } from './conditions.ts'

describe.each([
  ['Token', { breaks: 20, other: 19, same: 15 }],
  ['Stage', { breaks: 16, other: 14, same: 34 }],
] as const)('the conditions of %s', (module, sums) => {
  const listed = CONDITIONS[module]

  it('are listed with what TLC finds without them', () => {
    const conditions = mutantsOf(module).map(({ lacks }) => lacks)
    expect(Object.keys(listed).toSorted()).toEqual(conditions.toSorted())
  })

  it('are noticed, but for some', () => {
    const kinds = Object.values(listed).map((found) => found.split(' ', 1)[0])
    const count = (kind: string): number => kinds.filter((one) => one === kind).length
    expect({ breaks: count('breaks'), other: count('other'), same: count('same') }).toEqual(sums)
  })
})
