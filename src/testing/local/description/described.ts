import { ConfigError } from '../../../base/errors.ts'
import { localTopicArn } from './arn.ts'
import type { CloudDescription, TableDescription } from './description.ts'

/** The ARNs of topics with raw message delivery in a subscription. */
export function rawTopicsOf({ topics = {} }: CloudDescription): ReadonlySet<string> {
  const raw = Object.entries(topics).filter(([, { subscriptions = [] }]) =>
    subscriptions.some((subscription) => subscription.raw === true),
  )
  return new Set(raw.map(([name]) => localTopicArn(name)))
}

/** The names of each table's key attributes; undefined for a table that is not described. */
export function keyNamesOf({
  tables = {},
}: CloudDescription): (table: string) => readonly string[] | undefined {
  const names = new Map(
    Object.entries(tables).map(([name, table]) => [name, keyOf(table)] as const),
  )
  return (table) => names.get(table)
}

function keyOf(table: TableDescription): readonly string[] {
  if ('hash' in table) return table.range === undefined ? [table.hash] : [table.hash, table.range]
  return (table.KeySchema ?? []).flatMap(({ AttributeName }) => AttributeName ?? [])
}

/** @throws ConfigError when `service` was not started, because `list` is empty */
export function requireStarted<T>(what: string, list: string, service: T | undefined): T {
  if (service !== undefined) return service
  throw new ConfigError(
    `cloud.${what}: the description has no ${list}, so the service was not started. Add them to startLocalCloud({ ${list} })`,
  )
}

/** @throws ConfigError when the description does not list `name`. */
export function requireDescribed<List extends 'queues' | 'topics' | 'tables'>(
  asked: Readonly<Record<List, object>>,
  list: List,
  name: string,
): string {
  if (Object.hasOwn(asked[list], name)) return name
  throw new ConfigError(
    `${list}: expected one of ${Object.keys(asked[list]).join(', ') || '(none described)'}, got ${JSON.stringify(name)}`,
  )
}
