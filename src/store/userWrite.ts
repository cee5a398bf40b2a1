import type { RawWrite, UserItem, UserWrite } from './store.ts'

/** One that every store can carry out. */
export function isUserWrite(write: UserWrite | RawWrite): write is UserWrite {
  return !('raw' in write)
}

/** '' where a raw item names none. */
export function tableOf(write: { readonly TableName: string } | RawWrite): string {
  if (!('raw' in write)) return write.TableName
  const { Put, Update, Delete, ConditionCheck } = write.raw
  return (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? ''
}

/** What TypeScript lets through, too: `undefined` stands for an attribute that is not there. */
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
