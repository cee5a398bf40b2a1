import { TerminalError } from '../errors.ts'
import type { RawWrite, Update, UserWrite } from './store.ts'
import { isUserWrite } from './userWrite.ts'
import { canonical } from './value.ts'

/**
 * What DynamoDB refuses before it looks at the item, in words. Both adapters ask here, because a batched statement of
 * the same content may slip through: an attribute named twice, one that
 * belongs to the key, or one that could not be read back.
 */
export function mistakeIn(update: Update): TerminalError | undefined {
  const changed = [...Object.keys(update.set ?? {}), ...(update.remove ?? [])]
  if (update.addTo !== undefined) changed.push(update.addTo.field)
  return namedTwice(changed, ['pk', 'sk'])
}

export function mistakeInUserWrites(
  writes: readonly (UserWrite | RawWrite)[],
): TerminalError | undefined {
  const items = new Set<string>()
  for (const write of writes) {
    if (!isUserWrite(write)) continue
    const mistake = mistakeInUserWrite(write)
    if (mistake !== undefined) return mistake
    const item = `${write.TableName} ${canonical(write.Key)}`
    if (items.has(item)) return changedTwice(write.TableName)
    items.add(item)
  }
  return undefined
}

/** DynamoDB: "Transaction request cannot include multiple operations on one item". */
function changedTwice(table: string): TerminalError {
  return new TerminalError(
    `Two writes of one transaction are on the same item of table ${table}. Nothing was written. Make one write of them.`,
  )
}

function mistakeInUserWrite(write: UserWrite): TerminalError | undefined {
  if ('delete' in write) return undefined
  if ('put' in write) return namedTwice(Object.keys(write.put), [], write.TableName)
  const { set = {}, add = {}, remove = [] } = write
  const changed = [...Object.keys(set), ...Object.keys(add), ...remove]
  return namedTwice(changed, Object.keys(write.Key), write.TableName)
}

/** A value that no attribute can hold: TypeScript would have refused it, unless it is NaN or an infinite number. */
export function unstorable(value: unknown): TerminalError {
  const what =
    typeof value === 'number' ? String(value) : Object.prototype.toString.call(value).slice(8, -1)
  return new TerminalError(
    `${what} cannot be stored in DynamoDB. Nothing was written. Give a string, a finite number, a bigint, a boolean, ` +
      'null, a Uint8Array, a set of strings or numbers, a list or a plain object.',
  )
}

function namedTwice(
  changed: readonly string[],
  key: readonly string[],
  table?: string,
): TerminalError | undefined {
  const named = new Set(key)
  for (const name of changed) {
    const what = key.includes(name) ? IS_KEY : name === '__proto__' ? IS_LOST : IS_TWICE
    if (named.has(name) || what === IS_LOST) return mistake(name, what, table)
    named.add(name)
  }
  return undefined
}

const IS_KEY = 'belongs to the key and cannot be changed'
const IS_TWICE = 'is changed twice in one write'
/** Its deserializer gives `undefined` for that name at the top of an item (3.1162.0); inside a map it is kept. */
const IS_LOST = 'would be lost by the AWS SDK when it is read'

function mistake(name: string, what: string, table: string | undefined): TerminalError {
  const where = table === undefined ? '' : ` of table ${table}`
  return new TerminalError(
    `Attribute ${JSON.stringify(name)}${where} ${what}. Nothing was written.`,
  )
}
