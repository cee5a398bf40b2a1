import { wrongName } from '../../../base/limits/wireValue.ts'
import type { Condition, Update, UserCondition, UserItem, UserValue } from '../store.ts'
import { type AttributeMap, assertValid, toAttribute } from './attributes.ts'

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
  const aliases = new Map<string, string>()
  const names: Record<string, string> = {}
  const values: AttributeMap = {}
  const dialect: Dialect = {
    name: (field) => {
      if (table !== undefined) assertValid(wrongName(field), table)
      const alias = aliases.get(field) ?? `#n${aliases.size}`
      aliases.set(field, alias)
      names[alias] = field
      return alias
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
    // @protects a write carries its conditions
    // @without undefined
    ConditionExpression: condition || undefined,
    ExpressionAttributeNames: aliases.size > 0 ? names : undefined,
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

/** How one of DynamoDB's two languages writes names, values and the two tests for presence. */
export interface Dialect {
  name(field: string): string
  /** @param field the attribute that has the value, or is compared with it */
  value(value: UserValue, field: string): string
  exists(name: string): string
  absent(name: string): string
}

/**
 * If an attribute may be missing, the text says so explicitly: `a <> 1` is true of a missing attribute in a ConditionExpression,
 * and false in PartiQL.
 */
export function conditionText(condition: Condition | UserCondition, dialect: Dialect): string {
  if ('all' in condition) return joined(condition.all, ' AND ', dialect)
  if ('any' in condition) return joined(condition.any, ' OR ', dialect)
  if ('exists' in condition) return dialect.exists(dialect.name(condition.exists))
  if ('absent' in condition) return dialect.absent(dialect.name(condition.absent))
  const name = dialect.name(condition.field)
  if ('lacks' in condition) {
    return `(${dialect.absent(name)} OR NOT contains(${name}, ${dialect.value(condition.lacks, condition.field)}))`
  }
  if ('members' in condition)
    return `size(${name}) = ${dialect.value(condition.members, condition.field)}`
  const comparison = `${name} ${condition.is} ${dialect.value(condition.value, condition.field)}`
  // @protects a missing attribute differs from every value in both dialects
  // @without its else
  return condition.is === '<>' ? `(${dialect.absent(name)} OR ${comparison})` : comparison
}

/**
 * Joins conditions. A single one gets no parentheses, because DynamoDB refuses redundant ones. An empty "all of" is true and an
 * empty "any of" is false; neither language has a word for them.
 */
function joined(
  conditions: readonly (Condition | UserCondition)[],
  by: ' AND ' | ' OR ',
  dialect: Dialect,
): string {
  const texts = conditions.map((condition) => conditionText(condition, dialect))
  const [only] = texts
  if (only !== undefined)
    return texts.length === 1
      ? only
      : // @protects alternatives stay together
        // @without texts.join(by)
        `(${texts.join(by)})`
  const name = dialect.name('pk')
  const other = by === ' AND ' ? ' OR ' : ' AND '
  return `(${dialect.exists(name)}${other}${dialect.absent(name)})`
}
