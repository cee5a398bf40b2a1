import { expect, it } from 'vitest'
import { type Engine, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { findDynoxide } from '../../../store/findDynoxide.ts'
import { type Answer, send } from './call.ts'
import { ITEM, RULES, type Rule, tableOf } from './rules.ts'

/** Two processes may share an engine. */
const OWN = `rules-${process.pid}`

async function answersOf({ endpoint, stop }: Engine): Promise<(readonly [string, unknown])[]> {
  const answers: (readonly [string, unknown])[] = []
  for (const [nth, { rule, operation, request, look = verdict }] of RULES.entries()) {
    const TableName = `${OWN}-${nth}`
    await send(endpoint, 'CreateTable', tableOf(TableName))
    await send(endpoint, 'PutItem', { TableName, Item: ITEM })
    answers.push([rule, look(await send(endpoint, operation, request(TableName)))])
  }
  await stop()
  return answers
}

function verdict({ status, __type }: Answer): string | undefined {
  return status === 200 ? 'accepted' : String(__type).split('#').at(-1)
}

function expected(answerOf: (rule: Rule) => unknown): (readonly [string, unknown])[] {
  return RULES.map((rule) => [rule.rule, answerOf(rule)])
}

it('the engine in TypeScript answers as AWS', async () => {
  expect(await answersOf(await startTypeScript())).toEqual(expected(({ answers }) => answers))
})

it('the native engine, if there is one, answers as AWS but for what is named', async () => {
  const answerOf = (rule: Rule): unknown =>
    'native' in rule && findDynoxide() !== undefined ? rule.native : rule.answers
  expect(await answersOf(await startDynoxide())).toEqual(expected(answerOf))
})
