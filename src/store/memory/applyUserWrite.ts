import { TerminalError } from '../../errors.ts'
import { holds } from '../condition.ts'
import type { UserItem, UserWrite } from '../store.ts'
import { attribute } from '../value.ts'
import { copyUserItem } from './copy.ts'
import { sum } from './sum.ts'

export type UserOutcome =
  | { readonly kind: 'applied'; readonly item: UserItem | undefined }
  | { readonly kind: 'refused'; readonly item: UserItem | undefined }
  | { readonly kind: 'failed'; readonly error: TerminalError }

/**
 * What `write` makes of the user's `item`. As in DynamoDB, a change creates an item that is not there yet.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function applyUserWrite(item: UserItem | undefined, write: UserWrite): UserOutcome {
  if (!write.where.every((condition) => holds(condition, item))) return { kind: 'refused', item }
  if ('delete' in write) return { kind: 'applied', item: undefined }
  if ('put' in write) return { kind: 'applied', item: copyUserItem({ ...write.put, ...write.Key }) }
  const { set = {}, add = {}, remove = [] } = write
  const changes = Object.keys(set).length + Object.keys(add).length + remove.length
  if (changes === 0) return { kind: 'applied', item }
  const summed = sums(item, write.TableName, add)
  if (summed instanceof Error) return { kind: 'failed', error: summed }
  const removed = new Set(remove)
  const kept = Object.entries(item ?? write.Key).filter(([name]) => !removed.has(name))
  return { kind: 'applied', item: copyUserItem({ ...Object.fromEntries(kept), ...set, ...summed }) }
}

function sums(
  item: UserItem | undefined,
  table: string,
  add: Readonly<Record<string, number>>,
): UserItem | TerminalError {
  const changed: [string, number | bigint][] = []
  for (const [name, amount] of Object.entries(add)) {
    const found = attribute(item, name) ?? 0
    if (typeof found !== 'number' && typeof found !== 'bigint') {
      const what = `Attribute ${JSON.stringify(name)} of table ${JSON.stringify(table)}`
      return new TerminalError(`${what} is no number: nothing can be added to it.`)
    }
    changed.push([name, sum(found, amount)])
  }
  return Object.fromEntries(changed)
}
