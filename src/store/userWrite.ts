import type { RawWrite, UserItem, UserWrite } from './store.ts'

/** Whether it is a write in the store's own form, which every store can execute, and not a raw one. */
export function isUserWrite(write: UserWrite | RawWrite): write is UserWrite {
  return !('raw' in write)
}

/** @returns '' when a raw item names no table */
export function tableOf(write: { readonly TableName: string } | RawWrite): string {
  if (!('raw' in write)) return write.TableName
  const { Put, Update, Delete, ConditionCheck } = write.raw
  return (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? ''
}

/** TypeScript allows an attribute to be `undefined`, which means that it is missing. */
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
