import { parseArgs, type ParseArgsConfig } from 'node:util'
import { toMilliseconds } from '../../base/options.ts'
import type { Duration } from '../../base/time.ts'
import { messageOf } from '../../base/errors.ts'
import { UsageError } from './usageError.ts'

type ArgOptions = NonNullable<ParseArgsConfig['options']>

type ParsedArgs<T extends ArgOptions> = ReturnType<
  typeof parseArgs<{ args: string[]; options: T; allowPositionals: true; strict: true }>
>

/** A command's own arguments. @throws UsageError */
export function readArgs<const T extends ArgOptions>(
  args: readonly string[],
  options: T,
): ParsedArgs<T> {
  const twice = givenTwice(args, options)
  if (twice !== undefined) throw new UsageError(`--${twice}: expected one value, got several`)
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`)
    const expected =
      known.length === 0 ? 'it has no options of its own' : `its options: ${known.join(', ')}`
    throw new UsageError(
      `${messageOf(error).replace(/^TypeError[^:]*: |\. To specify.*$/gs, '')} (${expected})`,
    )
  }
}

/** `parseArgs` takes the last of several values: a command would then pause or change less than was typed. */
function givenTwice(args: readonly string[], options: ArgOptions): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option' || options[token.name]?.type !== 'string') continue
    if (seen.has(token.name) && options[token.name]?.multiple !== true) return token.name
    seen.add(token.name)
  }
  return undefined
}

/** The positional arguments, exactly as many as there are names. */
export function positionals<const N extends readonly string[]>(
  given: readonly string[],
  names: N,
): { readonly [I in keyof N]: string } {
  const missing = names[given.length]
  if (missing !== undefined) throw new UsageError(`expected ${missing}, got nothing`)
  const empty = names.find((_, at) => given[at] === '')
  if (empty !== undefined) throw new UsageError(`expected ${empty}, got ""`)
  if (given.length > names.length) {
    throw new UsageError(
      `expected ${names.join(' ') || 'no arguments'}; got also ${JSON.stringify(given[names.length])}`,
    )
  }
  return names.map((_, index) => given[index] ?? '') as { readonly [I in keyof N]: string }
}

export function readJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(
      `${option}: expected JSON, got ${JSON.stringify(text)}. A string needs quotes: '"text"'`,
    )
  }
}

export function readDuration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  try {
    return toMilliseconds(option, text as Duration)
  } catch {
    throw new UsageError(
      `${option}: expected a time such as 30s, 10m, 2h or 1d, got ${JSON.stringify(text)}`,
    )
  }
}
