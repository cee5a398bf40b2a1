import { isObject } from '../../library/base/kindOf.ts'
import type { Argument, Option, Row } from '../commands/row.ts'
import { optionName } from '../operator/text/commandLine.ts'
import { type JsonObject, RequestError } from './reply.ts'

/** What of a command says which arguments a page may give it. */
export interface CommandForm {
  readonly words: string
  readonly arguments: Readonly<Record<string, Omit<Argument, 'help'>>>
  readonly options: Readonly<Record<string, Omit<Option, 'help'>>>
}

type Field = CommandForm['options'][string]

const MOST_OF_A_LIST = 100

/**
 * The arguments of the command. No value can become an option: values of options are written as `--name=value`, and arguments
 * follow `--` when one begins with a dash.
 * @throws RequestError 400 for a field that is unknown, missing or of another kind
 */
export function argumentsOf(form: CommandForm, given: JsonObject): readonly string[] {
  const { words, arguments: places, options } = form
  const [offeredPlaces, offeredOptions] = [offered(places), offered(options)]
  refuseUnknown(given, [...offeredPlaces, ...offeredOptions])
  refuseMissing(given, [
    ...offeredPlaces.filter(([name]) => places[name]?.optional !== true),
    ...offeredOptions.filter(([name]) => options[name]?.required === true),
  ])
  const isGiven = ([name]: readonly [string, Field]): boolean => given[name] !== undefined
  const named = offeredOptions
    .filter(isGiven)
    .flatMap(([name, field]) => optionsOf(name, field, given[name]))
  const positional = offeredPlaces
    .filter(isGiven)
    .map(([name, field]) => checked(name, field, given[name]))
  const end = positional.some((each) => each.startsWith('-')) ? ['--'] : []
  return [...words.split(' '), ...named, ...end, ...positional]
}

type Offered = readonly (readonly [name: string, field: Field])[]

/** What a page may give: nothing else of a command can be set by one. */
export function offered(fields: Readonly<Record<string, Field>>): Offered {
  return Object.entries(fields).filter(([, { page }]) => page !== undefined)
}

function refuseUnknown(given: JsonObject, fields: Offered): void {
  const known = fields.map(([name]) => name)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const expected = known.length === 0 ? 'nothing' : known.join(', ')
  throw new RequestError(400, `${shown(unknown)} is not known here: expected ${expected}`)
}

function refuseMissing(given: JsonObject, needed: Offered): void {
  const missing = needed.find(([name]) => given[name] === undefined)
  if (missing !== undefined) throw new RequestError(400, `expected ${missing[0]}, got nothing`)
}

/** What a page may ask for before it plans an action, in the words of the command's help. */
export interface Question {
  readonly name: string
  readonly label: string
  readonly kind: 'text'
  /** The default, or the placeholder of a value. */
  readonly hint: string
  readonly optional: true
}

/** The options that need not be given, of each command that changes something by its words: `dlq.redrive`. */
export function questionsOf(rows: readonly Row[]): Readonly<Record<string, readonly Question[]>> {
  const actions = rows.filter(({ changes }) => changes !== undefined)
  return Object.fromEntries(
    actions.map(({ words, options }) => [
      words.replaceAll(' ', '.'),
      Object.entries(options).flatMap(([name, option]) => questionOf(name, option)),
    ]),
  )
}

function questionOf(
  name: string,
  { kind, page, required, takes, help, ...option }: Option,
): readonly Question[] {
  const isAsked = required !== true && takes === undefined && kind.form === 'text'
  if (page === undefined || !isAsked) return []
  const standard = option.default === undefined ? '' : ` (default ${option.default})`
  const label = `${help.charAt(0).toUpperCase()}${help.slice(1)}${standard}`
  return [
    { name, label, kind: 'text', hint: option.default ?? option.word ?? kind.word, optional: true },
  ]
}

/** Behind `--` nothing is an option any more. */
export function optionsBefore(
  args: readonly string[],
  options: readonly string[],
): readonly string[] {
  const end = args.indexOf('--')
  return end < 0 ? [...args, ...options] : args.toSpliced(end, 0, ...options)
}

function optionsOf(name: string, field: Field, value: unknown): readonly string[] {
  const option = optionName(name)
  switch (field.kind.form) {
    case 'flag':
      return isSet(name, value) ? [option] : []
    case 'json':
      return [`${option}=${JSON.stringify(value)}`]
    case 'values':
      if (!isObject(value)) throw wrong(name, 'an object of JSON values by name', value)
      return Object.entries(value).map(
        ([key, each]) => `${option}=${checked(name, field, key)}=${JSON.stringify(each)}`,
      )
    case 'text': {
      const list = field.many === true && Array.isArray(value) ? (value as unknown[]) : [value]
      if (list.length > MOST_OF_A_LIST) throw wrong(name, `at most ${MOST_OF_A_LIST}`, list.length)
      return list.map((each) => `${option}=${checked(name, field, each)}`)
    }
  }
}

function checked(name: string, { kind, page }: Field, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') throw wrong(name, 'a text', value)
  const limits = page === undefined || page === true ? kind : page
  const expected = limits.page(text)
  if (expected !== undefined) throw wrong(name, expected, text)
  return text
}

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
