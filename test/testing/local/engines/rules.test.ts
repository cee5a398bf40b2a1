import { expect, it } from 'vitest'
import { type Engine, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'
import { type Answer, send } from './call.ts'
import { RULES } from './rules/all.ts'
import { ITEM, type Rule, tableOf } from './rules/rule.ts'

/** Two processes may share an engine. */
const OWN = `rules-${process.pid}`

type Answered = readonly [rule: string, answer: unknown]

/** Each rule has its own table, so that some can be asked at once. */
async function answersOf({ endpoint, stop }: Engine): Promise<readonly Answered[]> {
  const answers: Answered[] = []
  for (let start = 0; start < RULES.length; start += AT_ONCE) {
    const some = RULES.slice(start, start + AT_ONCE)
    answers.push(...(await Promise.all(some.map((rule, at) => ask(endpoint, rule, start + at)))))
  }
  await stop()
  return answers
}

const AT_ONCE = 20

async function ask(endpoint: string, asked: Rule, nth: number): Promise<Answered> {
  const { rule, first = [], operation, request, look = verdict } = asked
  const TableName = `${OWN}-${nth}`
  await send(endpoint, 'CreateTable', tableOf(TableName))
  await send(endpoint, 'PutItem', { TableName, Item: ITEM })
  for (const each of first) await send(endpoint, each.operation, each.request(TableName))
  return [rule, lookAt(look, await send(endpoint, operation, request(TableName)))]
}

/** A refusal is shown as such where an answer was to be looked at. */
function lookAt(look: (answer: Answer) => unknown, answer: Answer): unknown {
  try {
    return look(answer)
  } catch {
    return verdict(answer)
  }
}

function verdict({ status, __type }: Answer): string | undefined {
  return status === 200 ? 'accepted' : String(__type).split('#').at(-1)
}

function expected(answerOf: (rule: Rule) => unknown): readonly Answered[] {
  return RULES.map((rule) => [rule.rule, answerOf(rule)])
}

it('no two rules have one name', () => {
  expect(new Set(RULES.map(({ rule }) => rule)).size).toBe(RULES.length)
})

it('the engine in TypeScript answers as AWS, but for what is named', async () => {
  expect(await answersOf(await startTypeScript())).toEqual(
    expected(({ typeScript, answers }) => (typeScript ?? { answers }).answers),
  )
})

it('the native engine, if there is one, answers as AWS but for what is named', async () => {
  const answerOf = (rule: Rule): unknown => {
    if (findDynoxide() === undefined) return (rule.typeScript ?? rule).answers
    return 'native' in rule ? rule.native : rule.answers
  }
  expect(await answersOf(await startDynoxide())).toEqual(expected(answerOf))
})
