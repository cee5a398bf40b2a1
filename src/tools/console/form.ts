import { isObject } from '../../base/kindOf.ts'
import type { Kind } from './kinds.ts'
import { RequestError } from './requestError.ts'

/** A field of a form, and the argument that it becomes. */
export type Field = {
  /** Without it the request is refused. */
  readonly required?: true
} & (
  | { readonly as: 'argument'; readonly kind: Kind }
  /** `--NAME=VALUE`; `many`: a list, one option each. */
  | { readonly as: 'option'; readonly kind: Kind; readonly name?: string; readonly many?: true }
  /** `--NAME`, if it is true. */
  | { readonly as: 'flag'; readonly name?: string }
  /** `1`: for the page, and no argument. */
  | { readonly as: 'page' }
  /** Any JSON value: `--NAME=JSON`. */
  | { readonly as: 'json'; readonly name?: string }
  /** JSON values by name: `--NAME=KEY=JSON` each. */
  | { readonly as: 'values'; readonly kind: Kind; readonly name?: string }
)

/** A command of `lineclear`, and what a page may give it. */
export interface Form {
  /** @example ['tokens', 'resolve'] */
  readonly words: readonly string[]
  readonly fields: Readonly<Record<string, Field>>
}

const MOST_OF_A_LIST = 100

/**
 * The arguments of the command. No value can become an option: values of options are written as `--name=value`, and arguments
 * stand behind `--` when one begins with a dash.
 * @throws RequestError 400 for a field that is unknown, missing or of another kind
 */
export function argumentsOf(
  { words, fields }: Form,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) {
    const known = Object.keys(fields)
    throw new RequestError(
      400,
      `${shown(unknown)} is not known here: expected ${known.length === 0 ? 'nothing' : known.join(', ')}`,
    )
  }
  const options: string[] = []
  const positional: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name]
    if (value === undefined) {
      if (field.required === true) throw new RequestError(400, `expected ${name}, got nothing`)
    } else if (field.as === 'argument') positional.push(checked(name, field.kind, value))
    else options.push(...optionsOf(name, field, value))
  }
  const end = positional.some((each) => each.startsWith('-')) ? ['--'] : []
  return [...words, ...options, ...end, ...positional]
}

/** Behind `--` nothing is an option any more. */
export function optionsBefore(
  args: readonly string[],
  options: readonly string[],
): readonly string[] {
  const end = args.indexOf('--')
  return end < 0 ? [...args, ...options] : args.toSpliced(end, 0, ...options)
}

function optionsOf(
  name: string,
  field: Exclude<Field, { readonly as: 'argument' }>,
  value: unknown,
): readonly string[] {
  const option = `--${('name' in field ? field.name : undefined) ?? name}`
  switch (field.as) {
    case 'flag':
      return isSet(name, value) ? [option] : []
    case 'page':
      isSet(name, value)
      return []
    case 'json':
      return [`${option}=${JSON.stringify(value)}`]
    case 'values':
      if (!isObject(value)) throw wrong(name, 'an object of JSON values by name', value)
      return Object.entries(value).map(
        ([key, each]) => `${option}=${checked(name, field.kind, key)}=${JSON.stringify(each)}`,
      )
    case 'option': {
      const list = field.many === true && Array.isArray(value) ? (value as unknown[]) : [value]
      if (list.length > MOST_OF_A_LIST) throw wrong(name, `at most ${MOST_OF_A_LIST}`, list.length)
      return list.map((each) => `${option}=${checked(name, field.kind, each)}`)
    }
  }
}

function checked(name: string, kind: Kind, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw wrong(name, 'a text', value)
  const expected = kind(text)
  if (expected !== undefined) throw wrong(name, expected, text)
  return text
}

/** A query has texts only. */
function isSet(name: string, value: unknown): boolean {
  if (value === true || value === '1') return true
  if (value === false || value === '0') return false
  throw wrong(name, 'true or false (in a query 1 or 0)', value)
}

function wrong(name: string, expected: string, value: unknown): RequestError {
  return new RequestError(400, `${name}: expected ${expected}; got ${shown(value)}`)
}

const SHOWN = 80

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
