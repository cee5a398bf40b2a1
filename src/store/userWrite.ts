import type { RawWrite, UserItem, UserWrite } from './store.ts'

/** Not a raw one: every store can execute it. */
export function isUserWrite(write: UserWrite | RawWrite): write is UserWrite {
  return !('raw' in write)
}

/** '' when a raw item names no table. */
export function tableOf(write: { readonly TableName: string } | RawWrite): string {
  if (!('raw' in write)) return write.TableName
  const { Put, Update, Delete, ConditionCheck } = write.raw
  return (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? ''
}

/** TypeScript lets `undefined` through: it means that the attribute is missing. */
export function withoutUndefined<W extends UserWrite | RawWrite>(write: W): W {
  if ('raw' in write) return write
  if ('put' in write) return { ...write, put: defined(write.put) }
  if ('delete' in write || write.set === undefined) return write
  return { ...write, set: defined(write.set) }
}

function defined(item: UserItem): UserItem {
  const isDefined = ([, value]: [string, unknown]): boolean => value !== undefined
  return Object.fromEntries(Object.entries(item).filter(isDefined))
}
