import type { Condition, UserCondition, UserValue } from '../store.ts'

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
  if ('contains' in condition)
    return `contains(${name}, ${dialect.value(condition.contains, condition.field)})`
  if ('lacks' in condition) {
    return `(${dialect.absent(name)} OR NOT contains(${name}, ${dialect.value(condition.lacks, condition.field)}))`
  }
  const comparison = `${name} ${condition.is} ${dialect.value(condition.value, condition.field)}`
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
  if (only !== undefined) return texts.length === 1 ? only : `(${texts.join(by)})`
  const name = dialect.name('pk')
  const other = by === ' AND ' ? ' OR ' : ' AND '
  return `(${dialect.exists(name)}${other}${dialect.absent(name)})`
}
