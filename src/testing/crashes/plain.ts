import type { UserItem } from '../../store/store.ts'

export function rowText(item: UserItem): string {
  return JSON.stringify(item, plain)
}

/** What JSON cannot hold. */
export function plain(_name: string, value: unknown): unknown {
  if (value instanceof Set) return [...value]
  // One error of a kind is to the framework as good as another.
  if (value instanceof Error) return 'code' in value ? value.code : value.message
  return typeof value === 'bigint' ? String(value) : value
}
