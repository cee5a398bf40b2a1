import { wrongName } from '../../base/limits/wrongValue.ts'
import type { Condition, Update, UserCondition, UserItem } from '../store.ts'
import { type AttributeMap, assertValid, toAttribute } from './attributes.ts'
import { conditionText, type Dialect } from './conditionText.ts'

/** The members that condition, update and transaction requests have in common. */
interface RequestExpression {
  readonly UpdateExpression: string | undefined
  readonly ConditionExpression: string | undefined
  readonly ExpressionAttributeNames: Record<string, string> | undefined
  readonly ExpressionAttributeValues: AttributeMap | undefined
}

/** What an expression changes. `add` holds numbers to add, or sets with members to add. */
export interface Changes {
  readonly set: UserItem
  readonly remove: readonly string[]
  readonly add: UserItem
}

export function changesOf(update: Update): Changes {
  const { set = {}, remove = [], addTo } = update
  const add = addTo === undefined ? {} : { [addTo.field]: new Set([addTo.member]) }
  return { set, remove, add }
}

export function changesNothing({ set, remove, add }: Changes): boolean {
  return Object.keys(set).length + Object.keys(add).length + remove.length === 0
}

/**
 * Every name and value gets an alias, so that reserved words and characters that expressions exclude can be used.
 * @param table the table of the items; undefined: the framework's
 * @throws TerminalError as `toAttributes`
 */
export function toExpression(
  where: readonly (Condition | UserCondition)[],
  changes?: Changes,
  table?: string,
): RequestExpression {
  const names = new Map<string, string>()
  const values: AttributeMap = {}
  const dialect: Dialect = {
    name: (field) => {
      if (table !== undefined) assertValid(wrongName(field), table)
      return alias(names, field)
    },
    value: (value, field) => {
      const placeholder = `:v${Object.keys(values).length}`
      values[placeholder] = toAttribute(value, field, table)
      return placeholder
    },
    exists: (name) => `attribute_exists(${name})`,
    absent: (name) => `attribute_not_exists(${name})`,
  }
  const update = changes && updateText(changes, dialect)
  const condition = where.map((one) => conditionText(one, dialect)).join(' AND ')
  // DynamoDB refuses an empty text and an empty map.
  return {
    UpdateExpression: update || undefined,
    ConditionExpression: condition || undefined,
    ExpressionAttributeNames: names.size > 0 ? flipped(names) : undefined,
    ExpressionAttributeValues: Object.keys(values).length > 0 ? values : undefined,
  }
}

function updateText({ set, remove, add }: Changes, { name, value }: Dialect): string {
  const clauses: [string, string[]][] = [
    ['SET', Object.entries(set).map(([field, to]) => `${name(field)} = ${value(to, field)}`)],
    ['ADD', Object.entries(add).map(([field, more]) => `${name(field)} ${value(more, field)}`)],
    ['REMOVE', remove.map(name)],
  ]
  const used = clauses.filter(([, actions]) => actions.length > 0)
  return used.map(([word, actions]) => `${word} ${actions.join(', ')}`).join(' ')
}

function alias(names: Map<string, string>, field: string): string {
  const known = names.get(field) ?? `#n${names.size}`
  names.set(field, known)
  return known
}

function flipped(names: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...names].map(([field, known]) => [known, field]))
}
