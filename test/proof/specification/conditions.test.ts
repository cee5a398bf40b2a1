import { describe, expect, it } from 'vitest'
import { PROMISES, REASONS, SMALL_CHECKS, WIDE_CHECKS } from './checks.ts'
import { CONDITIONS, mutantsOf } from './conditions.ts'

describe.each([
  ['Token', { breaks: 27, other: 23, implied: 3 }],
  ['Stage', { breaks: 29, other: 21, implied: 14 }],
] as const)('the conditions of %s', (module, sums) => {
  const listed = CONDITIONS[module]
  const searches = [...SMALL_CHECKS, ...WIDE_CHECKS]
    .filter((check) => check.module === module)
    .map(({ what }) => what)

  it('are listed with what TLC finds without them', () => {
    const conditions = mutantsOf(module).map(({ lacks }) => lacks)
    expect(Object.keys(listed)).toEqual(conditions)
  })

  it('are each noticed by a search, or implied by what TLC checks', () => {
    const isExplained = (found: string): boolean => {
      const [, promise = '', search = ''] = /^breaks (\w+): (.+)$/.exec(found) ?? []
      const [, others] = /^other states: (.+)$/.exec(found) ?? []
      const [, reason = ''] = /^implied by (\w+): .+\.$/.exec(found) ?? []
      return (
        (PROMISES[module].includes(promise) && searches.includes(search)) ||
        others?.split('; ').every((one) => searches.includes(one)) === true ||
        REASONS[module].includes(reason)
      )
    }
    expect(Object.entries(listed).filter(([, found]) => !isExplained(found))).toEqual([])
  })

  it('keep their numbers', () => {
    const count = (kind: string): number =>
      Object.values(listed).filter((found) => found.startsWith(`${kind} `)).length
    const counts = { breaks: count('breaks'), other: count('other'), implied: count('implied') }
    expect(counts).toEqual(sums)
  })

  it('have only reasons that they need', () => {
    const named = Object.values(listed).map((found) => /^implied by (\w+)/.exec(found)?.[1])
    expect(REASONS[module].filter((reason) => !named.includes(reason))).toEqual([])
  })
})
