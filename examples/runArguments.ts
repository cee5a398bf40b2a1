import { parseArgs } from 'node:util'
import { UsageError } from './demo/usageError.ts'

export interface RunArguments {
  readonly name: string | undefined
  /** Leaves the local cloud up at the end, to look into it. */
  readonly keep: boolean
  /** Serves the console beside it, and keeps the cloud up. */
  readonly console: boolean
  readonly help: boolean
}

const OPTIONS = {
  keep: { type: 'boolean' },
  console: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** @throws UsageError */
export function readRunArguments(args: readonly string[]): RunArguments {
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true })
  const names: string[] = []
  const given = new Set<string>()
  for (const token of tokens) {
    if (token.kind === 'positional') names.push(token.value)
    if (token.kind === 'option') given.add(nameOf(token))
  }
  const [name, second] = names
  if (second !== undefined) {
    throw new UsageError(`expected one NAME, got ${names.map(quoted).join(' and ')}`)
  }
  const kept = ['keep', 'console'].find((each) => given.has(each))
  if (name === undefined && kept !== undefined) {
    throw new UsageError(`--${kept}: expected the NAME of an example beside it`)
  }
  return {
    name,
    keep: kept !== undefined,
    console: given.has('console'),
    help: given.has('help'),
  }
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
}

function nameOf({ name, rawName, value }: OptionToken): string {
  if (!Object.hasOwn(OPTIONS, name)) {
    throw new UsageError(`expected --keep, --console or --help, got ${quoted(rawName)}`)
  }
  if (value === undefined) return name
  throw new UsageError(`--${name}: expected no value, got ${quoted(value)}`)
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
