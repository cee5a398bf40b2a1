import { textOf, type Value } from './tla/values.ts'

/** A value of a specification as one of the code: a set is a sorted list. */
export type Plain =
  | number
  | string
  | boolean
  | readonly Plain[]
  | { readonly [name: string]: Plain }

export function plain(value: Value): Plain {
  if (typeof value !== 'object') return value
  if (value.kind === 'group')
    return value.members.map(plain).toSorted((one, other) => (one < other ? -1 : 1))
  const { domain, values } = value
  return Object.fromEntries(
    domain.members.map((key, nth): [string, Plain] => [
      typeof key === 'string' ? key : textOf(key),
      plain(values[nth] ?? false),
    ]),
  )
}
