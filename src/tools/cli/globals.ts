import { parseArgs } from 'node:util'
import { flag, name, plan, words } from '../commands/kinds.ts'
import type { Options } from '../commands/row.ts'
import { JSON_VERSION } from '../console/reply.ts'
import { isPlanName } from '../operator/text/planName.ts'
import { UsageError } from './usageError.ts'

/** Options of all commands; they may come before or after the command's name. */
export interface Globals {
  readonly table: string | undefined
  readonly region: string | undefined
  readonly local: boolean
  readonly json: boolean
  /** `false`: only the plan is shown. */
  readonly apply: boolean
  /** The fingerprint after `--apply`; undefined: it came without one. */
  readonly plan: string | undefined
  /** The word after `--apply`, if it is no plan's name. */
  readonly notPlan: string | undefined
  /** Whether to change an item even if an attempt holds its lease. */
  readonly force: boolean
  readonly help: boolean
  readonly version: boolean
  readonly by: string | undefined
  readonly why: string | undefined
  /** The command's name, and its own arguments. */
  readonly rest: readonly string[]
  /** Everything that was typed, without `--apply`. */
  readonly typed: readonly string[]
}

const ROWS = {
  table: { kind: name, help: 'the table', default: 'LINECLEAR_TABLE, or lineclear' },
  region: { kind: name, word: 'REGION', help: 'the AWS Region', default: 'as the SDK finds it' },
  local: { kind: flag, help: 'use the local cloud described in .lineclear/local.json' },
  json: {
    kind: flag,
    help: `print one JSON object, for scripts: version ${JSON_VERSION}, times in ISO 8601`,
  },
  apply: { kind: plan, help: 'make the change that was shown under this name' },
  by: { kind: words, word: 'WHO', help: 'who makes it', default: 'the user of this machine' },
  why: { kind: words, help: 'why, recorded on the item' },
  force: { kind: flag, help: 'also if an attempt holds the lease: it can then write nothing more' },
  help: { kind: flag, help: 'explain a command' },
  version: { kind: flag, help: 'print the version of the package' },
} as const satisfies Options
export const GLOBAL_OPTIONS: Options = ROWS
type Name = keyof typeof ROWS

export function placeOf({ local, table, region }: Globals): readonly string[] {
  return [
    ...(local ? ['--local'] : []),
    ...(table === undefined ? [] : ['--table', table]),
    ...(region === undefined ? [] : ['--region', region]),
  ]
}

/** The name of a plan need not follow `--apply`. */
const BARE: ReadonlySet<string> = new Set(['apply'])
const OPTIONS = Object.fromEntries(
  Object.entries(GLOBAL_OPTIONS).map(([option, { kind }]) => {
    const type = kind.form === 'flag' || BARE.has(option) ? 'boolean' : 'string'
    return [option, { type, ...(option === 'help' && { short: 'h' }) }] as const
  }),
)
type ParsedToken = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]
const HELP: ReadonlySet<string | undefined> = new Set(['--help', '-h'])

/** @throws UsageError */
export function readGlobals(args: readonly string[]): Globals {
  const { tokens } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map<string, string>()
  const taken = new Set<number>()
  const applied = new Set<number>()
  let notPlan: string | undefined
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'option-terminator') break
    if (token.kind !== 'option' || !isGlobal(token.name)) continue
    // The h in -1h: it is a value that begins with a dash, and the command itself refuses it.
    if (token.name === 'help' && !HELP.has(args[token.index])) continue
    if (token.name === 'apply') {
      const { fingerprint, taken: words } = planOf(token.value, tokens[at + 1])
      given.set('apply', fingerprint)
      const next = tokens[at + 1]
      notPlan = fingerprint === '' && next?.kind === 'positional' ? next.value : undefined
      for (const index of [token.index, ...words]) applied.add(index)
      continue
    }
    given.set(token.name, valueOf(token.name, token.value))
    taken.add(token.index)
    if (token.inlineValue === false) taken.add(token.index + 1)
  }
  return {
    table: given.get('table'),
    region: given.get('region'),
    by: given.get('by'),
    why: given.get('why'),
    local: given.has('local'),
    json: given.has('json'),
    apply: given.has('apply'),
    plan: given.get('apply') || undefined,
    notPlan,
    force: given.has('force'),
    help: given.has('help'),
    version: given.has('version'),
    rest: args.filter((_, index) => !taken.has(index) && !applied.has(index)),
    typed: args.filter((_, index) => !applied.has(index)),
  }
}

/** `--apply 7f3a91c2`, `--apply=7f3a91c2`, or `--apply` before something else. */
function planOf(
  value: string | undefined,
  next: ParsedToken | undefined,
): { readonly fingerprint: string; readonly taken: readonly number[] } {
  if (value !== undefined) {
    if (isPlanName(value)) return { fingerprint: value, taken: [] }
    throw new UsageError(`--apply: expected the name of a plan, got ${JSON.stringify(value)}`)
  }
  const follows = next?.kind === 'positional' && isPlanName(next.value)
  return follows ? { fingerprint: next.value, taken: [next.index] } : { fingerprint: '', taken: [] }
}

function isGlobal(option: string): option is Name {
  return Object.hasOwn(ROWS, option)
}

function valueOf(option: Name, value: string | undefined): string {
  if (ROWS[option].kind.form === 'flag') {
    if (value === undefined) return ''
    throw new UsageError(`--${option}: expected no value, got ${JSON.stringify(value)}`)
  }
  if (value === undefined || value === '' || value.startsWith('--')) {
    throw new UsageError(
      `--${option}: expected a value, got ${value === undefined ? 'nothing' : JSON.stringify(value)}`,
    )
  }
  if (option === 'why' && value === PLACEHOLDER) {
    throw new UsageError(`--why: expected your reason in place of ${JSON.stringify(value)}`)
  }
  return value
}

/** What plans print behind --why. */
const PLACEHOLDER = '…'
