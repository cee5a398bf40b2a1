import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { RULES } from '../testing/local/engines/rules/all.ts'
import differences from './differences.json' with { type: 'json' }
import { LIMITS } from './limits.ts'

it('the figures of the rules are those that were found', () => {
  const counts = Object.values(differences).map((each) => Object.keys(each).length)
  const [last, ...others] = counts.toReversed()
  const figures = `${others.toReversed().join(', ')} and ${last} of the ${RULES.length} rules`
  expect(LIMITS.map(({ what }) => what).join('\n')).toContain(figures)
  const page = readFileSync(resolve(import.meta.dirname, '../README.md'), 'utf8')
  expect(page).toContain(`- ${RULES.length} rules of DynamoDB`)
})

it('each rule that an engine breaks is one of ours', () => {
  const known = new Set(RULES.map(({ rule }) => rule))
  const named = Object.values(differences).flatMap((each) => Object.keys(each))
  expect(named.filter((rule) => !known.has(rule))).toEqual([])
})
