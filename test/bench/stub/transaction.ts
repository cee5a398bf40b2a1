import type { Change } from './change.ts'
import type { Item } from './item.ts'
import {
  intentOf,
  type Intent,
  keyOf,
  make,
  missing,
  tableOf,
  type Tables,
  type Units,
} from './table.ts'
import { ALWAYS, changeOf, testOf, type Texts } from './texts.ts'
import { writeUnits } from './units.ts'

/** One entry of `TransactItems`, under the name of its action. */
export type TransactItem = Readonly<Record<string, TransactAction>>

interface TransactAction extends Texts {
  readonly TableName?: string
  readonly Item?: Item
  readonly Key?: Item
  readonly UpdateExpression?: string
}

/** At least one of its conditions did not hold: the code of each entry, in their order. */
export class Cancelled extends Error {
  readonly codes: readonly string[]
  constructor(codes: readonly string[]) {
    super(
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
    )
    this.codes = codes
  }
}

/** All or none. Each item is charged twice, for preparing and for committing, checks of a condition as well. */
export function transact(entries: readonly TransactItem[], tables: Tables, units: Units): void {
  const intents = entries.map((entry) => intentIn(entry, tables))
  for (const { before, after } of intents) units.write += 2 * writeUnits(before, after)
  if (intents.some(({ holds }) => !holds)) {
    throw new Cancelled(intents.map(({ holds }) => (holds ? 'None' : 'ConditionalCheckFailed')))
  }
  for (const intent of intents) make(intent, units)
}

function intentIn(entry: TransactItem, tables: Tables): Intent {
  const [[name, action] = missing('an action')] = Object.entries(entry)
  const table = tableOf(tables, action.TableName)
  const { ConditionExpression: condition } = action
  return intentOf(
    table,
    action.Key ?? keyOf(table, action.Item ?? missing('Item')),
    { test: condition === undefined ? ALWAYS : testOf(condition), change: changeIn(name, action) },
    {
      names: action.ExpressionAttributeNames ?? {},
      values: action.ExpressionAttributeValues ?? {},
    },
  )
}

function changeIn(name: string, { Item: item, UpdateExpression: text }: TransactAction): Change {
  if (name === 'Put') return () => item
  if (name === 'Update') return changeOf(text ?? missing('UpdateExpression'))
  if (name === 'Delete') return () => undefined
  if (name === 'ConditionCheck') return (scope) => scope.item
  return missing(`an action and found ${name}`)
}
