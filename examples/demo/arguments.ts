import { parseArgs } from 'node:util'
import { FAULT_NAMES, isFaultName, type FaultName } from './faults.ts'
import { type Cause, CAUSES } from '../broken/shop.ts'
import { UsageError } from './usageError.ts'

export interface Arguments {
  readonly seed: number
  /** How many callbacks to make up, when there is no `input`. */
  readonly messages: number
  readonly faults: readonly FaultName[]
  /** A file of callbacks, one JSON value a line. */
  readonly input: string | undefined
  /** Leaves the local cloud up at the end, to look into it. */
  readonly keep: boolean
  /** Serves the console beside it. */
  readonly console: boolean
  /** A shop in which everything is broken, in the place of the two ledgers. */
  readonly broken: boolean
  /** How long it stays up, seconds. undefined: until Ctrl-C. */
  readonly seconds: number | undefined
  /** Repairs a cause in the broken shop that is up. */
  readonly fix: Cause | undefined
  readonly json: boolean
  readonly verbose: boolean
  readonly help: boolean
}

const OPTIONS = {
  seed: { type: 'string' },
  messages: { type: 'string' },
  faults: { type: 'string' },
  input: { type: 'string' },
  keep: { type: 'boolean' },
  console: { type: 'boolean' },
  broken: { type: 'boolean' },
  seconds: { type: 'string' },
  fix: { type: 'string' },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const
type Option = keyof typeof OPTIONS

const DEFAULT_MESSAGES = 200
const MOST_MESSAGES = 100_000
const MOST_SEED = 2 ** 32 - 1

/**
 * @param anySeed the seed when none is given
 * @throws UsageError
 */
export function readArguments(args: readonly string[], anySeed: number): Arguments {
  const given = collect(args)
  const input = given.get('input')
  if (input !== undefined && given.has('messages')) {
    throw new UsageError(
      '--messages: expected not to be there beside --input, whose lines are sent',
    )
  }
  refuseBesideBroken(given)
  return {
    seed: wholeNumber('seed', given.get('seed'), 0, MOST_SEED) ?? anySeed,
    messages: wholeNumber('messages', given.get('messages'), 1, MOST_MESSAGES) ?? DEFAULT_MESSAGES,
    faults: faultNames(given.get('faults') ?? 'all'),
    input,
    keep: given.has('keep') || (given.has('console') && !given.has('broken')),
    console: given.has('console'),
    broken: given.has('broken'),
    seconds: wholeNumber('seconds', given.get('seconds'), 1, 86_400),
    fix: causeOf(given.get('fix')),
    json: given.has('json'),
    verbose: given.has('verbose'),
    help: given.has('help'),
  }
}

const OF_LEDGERS: readonly Option[] = ['seed', 'messages', 'faults', 'input', 'keep', 'json']

/** The broken shop is the same each time, and stays up. */
function refuseBesideBroken(given: ReadonlyMap<Option, string>): void {
  const other = OF_LEDGERS.find((option) => given.has(option))
  if (given.has('broken') && other !== undefined) {
    throw new UsageError(`--${other}: expected not to be there beside --broken`)
  }
  if (given.has('seconds') && !given.has('broken')) {
    throw new UsageError('--seconds: expected --broken beside it')
  }
}

function causeOf(text: string | undefined): Cause | undefined {
  const cause = CAUSES.find((each) => each === text)
  if (text === undefined || cause !== undefined) return cause
  throw new UsageError(`--fix: expected ${CAUSES.join(' or ')}, got ${JSON.stringify(text)}`)
}

function collect(args: readonly string[]): ReadonlyMap<Option, string> {
  const given = new Map<Option, string>()
  const { tokens } = parseArgs({ args: [...args], options: OPTIONS, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue
    if (token.kind === 'positional') throw unknown(token.value)
    if (!isOption(token.name)) throw unknown(token.rawName)
    given.set(token.name, valueOf(token.name, token.value))
  }
  return given
}

function valueOf(option: Option, value: string | undefined): string {
  const takesValue = OPTIONS[option].type === 'string'
  if (takesValue && !value) throw new UsageError(`--${option}: expected a value, got nothing`)
  if (takesValue || value === undefined) return value ?? ''
  throw new UsageError(`--${option}: expected no value, got ${JSON.stringify(value)}`)
}

function isOption(name: string): name is Option {
  return Object.hasOwn(OPTIONS, name)
}

function unknown(name: string): UsageError {
  const known = Object.keys(OPTIONS).map((option) => `--${option}`)
  return new UsageError(`expected ${known.join(', ')}; got ${name}`)
}

function wholeNumber(
  option: Option,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= least && number <= most) return number
  throw new UsageError(
    `--${option}: expected a whole number from ${least} to ${most}, got ${JSON.stringify(text)}`,
  )
}

function faultNames(text: string): readonly FaultName[] {
  if (text === 'all') return FAULT_NAMES
  if (text === 'none') return []
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !isFaultName(name))
  if (wrong === undefined) return FAULT_NAMES.filter((name) => names.includes(name))
  throw new UsageError(
    `--faults: expected all, none or some of ${FAULT_NAMES.join(',')}, got ${JSON.stringify(wrong)}`,
  )
}
