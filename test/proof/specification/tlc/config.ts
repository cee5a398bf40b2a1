import type { Bounds } from '../tla/explore.ts'
import { textOf, type Value } from '../tla/values.ts'

/** A search as TLC reads it. */
export function configOf(constants: Bounds['constants'], invariants: readonly string[]): string {
  const values = Object.entries(constants).map(([name, value]) => `  ${name} = ${written(value)}`)
  return `SPECIFICATION Spec\nCONSTANTS\n${values.join('\n')}\nINVARIANTS ${invariants.join(' ')}\n`
}

function written(value: Value): string {
  return typeof value === 'boolean' ? String(value).toUpperCase() : textOf(value)
}
