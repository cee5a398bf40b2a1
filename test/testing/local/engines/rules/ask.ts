import { type Answer, send } from '../call.ts'
import { RULES } from './all.ts'
import { ITEM, type Rule, tableOf } from './rule.ts'

/** Two processes may share an engine. */
const OWN = `rules-${process.pid}`
const AT_ONCE = 20

export type Answered = readonly [rule: string, answer: unknown]

/** What the DynamoDB of an engine answers to each rule. Each has its own table, so that some can be asked at once. */
export async function answersOf(
  endpoint: string,
  atOnce: number = AT_ONCE,
): Promise<readonly Answered[]> {
  const answers: Answered[] = []
  for (let start = 0; start < RULES.length; start += atOnce) {
    const some = RULES.slice(start, start + atOnce)
    answers.push(...(await Promise.all(some.map((rule, at) => ask(endpoint, rule, start + at)))))
  }
  return answers
}

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
