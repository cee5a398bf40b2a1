import { parseArgs } from 'node:util'
import { camelCase, optionName } from '../operator/text/commandLine.ts'
import type { Kind } from '../commands/kinds.ts'
import type { Argument, Arguments, Given, Option, Options, Row } from '../commands/row.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usageError.ts'

type Shape<A extends Arguments, O extends Options> = Pick<Row<A, O>, 'arguments' | 'options'>

/** What a row says of the arguments behind its words. @throws UsageError */
export function readGiven<A extends Arguments, O extends Options>(
  { arguments: places, options }: Shape<A, O>,
  args: readonly string[],
): Given<A, O> {
  const { texts, positionals } = sort(args, options)
  refuseOtherForms(options, texts)
  const given: Record<string, unknown> = argumentsOf(places, positionals)
  for (const [name, option] of Object.entries(options)) {
    given[name] = valueOf(optionName(name), option, texts.get(name))
  }
  // Each name of the row has the value that its kind has read.
  return given as Given<A, O>
}

/** `texts`: by the names of the row. The text of a flag is empty. */
function sort(args: readonly string[], options: Options) {
  const texts = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of tokensOf(args, options)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const name = camelCase(token.name)
    const isOwn = token.rawName === optionName(name) && Object.hasOwn(options, name)
    const option = isOwn ? options[name] : undefined
    if (option === undefined) throw unknownOption(token.rawName, options)
    const given = texts.get(name) ?? []
    if (given.length > 0 && option.many !== true && option.kind.form !== 'flag') {
      throw new UsageError(`${token.rawName}: expected one value, got several`)
    }
    texts.set(name, [...given, textOf(token, option)])
  }
  return { texts, positionals }
}

/** An option that does nothing in this form of the command would be taken for one that does. */
function refuseOtherForms(options: Options, texts: ReadonlyMap<string, unknown>): void {
  for (const [name, { with: beside, takes }] of Object.entries(options)) {
    if (!texts.has(name)) continue
    if (beside !== undefined && !texts.has(beside)) {
      throw new UsageError(`${optionName(name)}: expected ${optionName(beside)} with it`)
    }
    const other = [...texts.keys()].find((each) => each !== name && takes?.includes(each) === false)
    if (other !== undefined) {
      throw new UsageError(`expected ${optionName(name)} or ${optionName(other)}, got both`)
    }
  }
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

function tokensOf(args: readonly string[], options: Options): readonly Token[] {
  const types = Object.entries(options).map(([name, option]) => {
    const type = option.kind.form === 'flag' ? 'boolean' : 'string'
    return [optionName(name).slice(2), { type }] as const
  })
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens
}

function unknownOption(typed: string, options: Options): UsageError {
  const known = Object.keys(options).map(optionName)
  const near = nearest(typed, known)
  const hint = near === undefined ? '' : `. Did you mean ${near}?`
  const expected =
    known.length === 0 ? 'it has none of its own' : `its options: ${known.join(', ')}`
  return new UsageError(`Unknown option '${typed}' (${expected})${hint}`)
}

/** A value that begins with a dash may be an option whose value was forgotten. */
function textOf(token: Extract<Token, { kind: 'option' }>, { kind, word }: Option): string {
  const { rawName, value, inlineValue } = token
  if (kind.form === 'flag') {
    if (value === undefined) return ''
    throw new UsageError(`${rawName}: expected no value, got ${JSON.stringify(value)}`)
  }
  const expected = `${rawName}: expected ${word ?? kind.word}, got`
  if (value === undefined) throw new UsageError(`${expected} nothing`)
  if (inlineValue || !/^-./.test(value)) return value
  throw new UsageError(
    `${expected} ${JSON.stringify(value)}. A value that begins with a dash: ${rawName}=${value}`,
  )
}

function valueOf(typed: string, option: Option, texts: readonly string[] = []): unknown {
  const { kind, many, required } = option
  if (kind.form === 'flag') return texts.length > 0
  if (many === true) return texts.map((text) => read(typed, kind, text))
  const text = texts[0] ?? option.default
  if (text !== undefined) return read(typed, kind, text)
  if (required !== true) return undefined
  throw new UsageError(`expected ${typed} ${option.word ?? kind.word}, got none`)
}

function read(typed: string, kind: Kind<unknown>, text: string): unknown {
  return kind.read(text, (expected) => {
    throw new UsageError(`${typed}: expected ${expected}, got ${JSON.stringify(text)}`)
  })
}

function argumentsOf(places: Arguments, texts: readonly string[]): Record<string, unknown> {
  const all = Object.entries(places)
  const words = all.map(([, place]) => wordOf(place))
  const missing = all.findIndex(([, { optional }], at) => optional !== true && at >= texts.length)
  if (missing >= 0) throw new UsageError(`expected ${words[missing] ?? ''}, got nothing`)
  if (texts.length > all.length) {
    throw new UsageError(
      `expected ${words.join(' ') || 'no arguments'}; got also ${JSON.stringify(texts[all.length])}`,
    )
  }
  const read = all.map(([name, place], at) => [name, argumentOf(place, texts[at])] as const)
  return Object.fromEntries(read)
}

function argumentOf(place: Argument, text: string | undefined): unknown {
  if (text === undefined) return undefined
  return place.kind.read(text, (expected) => {
    const what = text === '' ? wordOf(place) : expected
    throw new UsageError(`expected ${what}, got ${JSON.stringify(text)}`)
  })
}

function wordOf({ word, kind }: Argument): string {
  return word ?? kind.word
}
