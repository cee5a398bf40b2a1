import type { Value } from '../../../store/store.ts'

/** An attribute as text; a set as a list. */
export function formatValue(value: Value | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'object' ? [...value].join(', ') : String(value)
}
