import type { UserItem } from '../../../store/store.ts'

export function rowText(item: UserItem): string {
  return JSON.stringify(item, plain)
}

/** A `JSON.stringify` replacer for values that JSON cannot hold. */
export function plain(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  // Lineclear treats all errors of one code alike.
  if (value instanceof Error) return 'code' in value ? value.code : value.message
  return typeof value === 'bigint' ? String(value) : value
}
