import { expect, it } from 'vitest'
import { type Engine, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'
import { RULES } from './rules/all.ts'
import { type Answered, answersOf } from './rules/ask.ts'
import type { Rule } from './rules/rule.ts'

async function answersOfEngine({ endpoint, stop }: Engine): Promise<readonly Answered[]> {
  const answers = await answersOf(endpoint)
  await stop()
  return answers
}

function expected(answerOf: (rule: Rule) => unknown): readonly Answered[] {
  return RULES.map((rule) => [rule.rule, answerOf(rule)])
}

it('no two rules have one name', () => {
  expect(new Set(RULES.map(({ rule }) => rule)).size).toBe(RULES.length)
})

it('the engine in TypeScript answers as AWS, but for what is named', async () => {
  expect(await answersOfEngine(await startTypeScript())).toEqual(
    expected(({ typeScript, answers }) => (typeScript ?? { answers }).answers),
  )
})

it('the native engine, if there is one, answers as AWS but for what is named', async () => {
  const answerOf = (rule: Rule): unknown => {
    if (findDynoxide() === undefined) return (rule.typeScript ?? rule).answers
    return 'native' in rule ? rule.native : rule.answers
  }
  expect(await answersOfEngine(await startDynoxide())).toEqual(expected(answerOf))
})
