import type { Check } from '../checks.ts'
import { textOf, type Value } from '../tla/values.ts'

export type Search = Pick<Check, 'module' | 'what' | 'constants' | 'states'>

/** A search as TLC reads it. A state from which nothing follows fails too. */
export function configOf({ constants }: Search, promises: readonly string[]): string {
  const values = Object.entries(constants).map(([name, value]) => `  ${name} = ${written(value)}`)
  return `SPECIFICATION Spec\nCONSTANTS\n${values.join('\n')}\nINVARIANTS ${promises.join(' ')}\n`
}

function written(value: Value): string {
  return typeof value === 'boolean' ? String(value).toUpperCase() : textOf(value)
}
