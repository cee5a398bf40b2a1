import { isDeepStrictEqual, parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { optionName } from '../../../src/tools/operator/text/commandLine.ts'
import { COMMANDS } from '../../../src/tools/cli/commands.ts'
import { actionsOf } from '../../../src/tools/console/change.ts'
import {
  argumentsOf,
  type CommandForm,
  offered,
  optionsBefore,
  questionsOf,
} from '../../../src/tools/console/form.ts'
import { RequestError } from '../../../src/tools/console/reply.ts'
import { readGlobals } from '../../../src/tools/cli/globals.ts'

const FORMS: readonly (readonly [string, CommandForm])[] = COMMANDS.filter(
  ({ route, changes }) => route !== undefined || changes !== undefined,
).map((row) => [row.words, row])

type Field = CommandForm['options'][string] & CommandForm['arguments'][string]

/** What pages may give. */
function fieldsOf({ arguments: places, options }: CommandForm): Readonly<Record<string, Field>> {
  return Object.fromEntries([...offered(places), ...offered(options)])
}

function isNeeded(form: CommandForm, name: string): boolean {
  return name in form.arguments
    ? form.arguments[name]?.optional !== true
    : form.options[name]?.required === true
}

/** What fits each field, so that only one at a time is hostile. */
const FITTING: Readonly<Record<string, string>> = {
  plan: '0123abcd',
  continue: '0123abcd',
  decision: 'free',
  queue: 'orders-dead',
  queues: 'orders',
  to: 'orders',
  rate: '5',
  stopAfter: '5',
  most: '5',
  after: 'WzFd',
  older: '5m',
  olderThan: '5m',
  since: '5m',
  wait: '5s',
  for: '5m',
  keep: '5d',
  grace: '5s',
  until: '2026-01-31T12:00Z',
}

const HOSTILE = [
  '--apply',
  '--apply=0123abcd',
  '--apply 0123abcd',
  '0123abcd',
  '--force',
  '--json',
  '--table=other',
  '--by=eve',
  '--local',
  '--help',
  '-h',
  '-',
  '--',
  '---',
  '-x',
  '--to=evil',
  '--all',
  '--from-file=/etc/passwd',
  '--to-file=/etc/cron.d/x',
  '/etc/passwd',
  '../x.jsonl',
  '~/.ssh/x.jsonl',
  '@file',
  'orders/o-1 --force',
  'orders/o-1\n--force',
  'orders/o-1\u0000--force',
  '$(touch /tmp/owned)',
  '`id`',
  '; rm -rf ~',
  '%00',
  'a\'b"c',
  'a=b',
  '=',
  '__proto__',
  'constructor',
  '\u202Ecod.exe',
  '\uD800',
  '−−apply',
  '',
  ' ',
  'x'.repeat(5_000),
]

/** A value of another kind. */
const NO_TEXTS: readonly unknown[] = [null, {}, [[]], [{}], true]

function fittingFor(name: string, field: Field): unknown {
  switch (field.kind.form) {
    case 'flag':
      return '1'
    case 'json':
      return { total: 5 }
    case 'values':
      return { total: 5 }
    default:
      return FITTING[name] ?? 'orders/o-1'
  }
}

function hostileFor(field: Field, text: string): unknown {
  if (field.kind.form === 'values') return { [text]: text }
  return field.many === true ? [text, text] : text
}

type Given = Readonly<Record<string, unknown>>

/** The fields that are required, and the one that is tried. */
function givenFor(form: CommandForm, tried: string, value: unknown): Given {
  const required = Object.entries(fieldsOf(form)).filter(([name]) => isNeeded(form, name))
  return {
    ...Object.fromEntries(required.map(([name, field]) => [name, fittingFor(name, field)])),
    [tried]: value,
  }
}

/** The arguments; undefined: refused. @throws what is no refusal */
function made(form: CommandForm, given: Given): readonly string[] | undefined {
  try {
    return argumentsOf(form, given)
  } catch (error) {
    if (error instanceof RequestError && error.status === 400) return undefined
    throw error
  }
}

/** Values of another type than the field's. */
function wrongFor(field: Field): readonly unknown[] {
  switch (field.kind.form) {
    case 'json':
      return []
    case 'flag':
      return NO_TEXTS.filter((value) => value !== true)
    case 'values':
      return NO_TEXTS.filter((value) => JSON.stringify(value) !== '{}')
    default:
      return NO_TEXTS
  }
}

interface Read {
  readonly globals: Readonly<Record<string, unknown>>
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly positionals: readonly string[]
}

/** As the command line reads the arguments: with the options of all commands, and the command's own. */
function readAs({ words, arguments: places, options }: CommandForm, args: readonly string[]): Read {
  const { rest, typed, ...globals } = readGlobals(args)
  const known = offered(options).map(([name, { kind }]) => {
    const type = kind.form === 'flag' ? ('boolean' as const) : ('string' as const)
    return [optionName(name).slice(2), { type, multiple: true }] as const
  })
  const length = words.split(' ').length
  const read = parseArgs({
    args: rest.slice(length),
    options: Object.fromEntries(known),
    allowPositionals: true,
    strict: true,
  })
  expect(typed).toEqual(args)
  expect(read.positionals.length).toBeLessThanOrEqual(Object.keys(places).length)
  return {
    globals,
    words: rest.slice(0, length),
    options: { ...read.values },
    positionals: read.positionals,
  }
}

/** What the command has to read: the given values, whatever they look like. */
function expectedOf({ words, arguments: places, options: known }: CommandForm, given: Given): Read {
  const { rest: _rest, typed: _typed, ...globals } = readGlobals([])
  const options = offered(known)
    .filter(([name]) => given[name] !== undefined)
    .map(([name, field]) => [optionName(name).slice(2), valuesOf(field, given[name])] as const)
  const positionals = offered(places)
    .map(([name]) => given[name])
    .filter((each) => each !== undefined) as string[]
  return { globals, words: words.split(' '), options: Object.fromEntries(options), positionals }
}

function valuesOf({ kind }: Pick<Field, 'kind'>, value: unknown): readonly unknown[] {
  if (kind.form === 'flag') return [true]
  if (kind.form === 'json') return [JSON.stringify(value)]
  if (kind.form !== 'values') return [value].flat()
  return Object.entries(value as object).map(([key, each]) => `${key}=${JSON.stringify(each)}`)
}

describe.each(FORMS)('the form of %s', (_name, form) => {
  it('takes what fits, each field alone', () => {
    for (const [name, field] of Object.entries(fieldsOf(form))) {
      const args = made(form, givenFor(form, name, fittingFor(name, field)))
      expect(args?.join(' ')).toMatch(new RegExp(`^${form.words}`))
    }
  })

  it('never makes an option of a value: it is refused, or reaches its command as the value that it is', () => {
    for (const [name, field] of Object.entries(fieldsOf(form))) {
      for (const text of HOSTILE) {
        const given = givenFor(form, name, hostileFor(field, text))
        const args = made(form, given)
        const read = args && readAs(form, args)
        // Nothing else was set, and what was set has the value.
        expect(read ?? 'refused').toSatisfy(
          (each) => each === 'refused' || isDeepStrictEqual(each, expectedOf(form, given)),
        )
      }
    }
  })

  it('refuses values of another type', () => {
    const tried = Object.entries(fieldsOf(form)).flatMap(([name, field]) =>
      wrongFor(field).map((value) => givenFor(form, name, value)),
    )
    expect(tried.filter((given) => made(form, given) !== undefined)).toEqual([])
  })

  it('refuses the want of a field that is required, and fields that it does not know', () => {
    const { x: _x, ...whole } = givenFor(form, 'x', undefined)
    const wants = Object.entries(fieldsOf(form))
      .filter(([name]) => isNeeded(form, name))
      .map(([name]) => ({ ...whole, [name]: undefined }))
    const more = ['apply', 'force', 'why', 'by', 'table', '__proto__', 'toString', ''].map(
      (name) => Object.fromEntries([...Object.entries(whole), [name, 'z']]) as Given,
    )
    const known = more.filter((given) =>
      Object.keys(given).some((name) => !Object.hasOwn(fieldsOf(form), name)),
    )
    expect([...wants, ...known].filter((given) => made(form, given) !== undefined)).toEqual([])
  })
})

it('a page asks in the words of the help, and only for what it may give', () => {
  const { 'dlq.redrive': redrive = [], 'dlq.discard': discard = [] } = questionsOf(COMMANDS)
  expect(redrive.find(({ name }) => name === 'rate')).toEqual({
    name: 'rate',
    label: expect.stringMatching(/^Highest rate in dead letters a second.*\(default 50\)$/),
    kind: 'text',
    hint: '50',
    optional: true,
  })
  expect(discard.map(({ name }) => name)).toContain('keep')
  expect(discard.map(({ name }) => name)).not.toContain('toFile')
})

describe('an action', () => {
  it('is one of these, and no other command', () => {
    expect([...actionsOf(COMMANDS).keys()]).toMatchSnapshot()
  })

  it('does not forget anything: a page cannot give the id', () => {
    const [form] = COMMANDS.filter(({ words }) => words === 'forget')
    expect(() => form && argumentsOf(form, { id: 'orders/order-17' })).toThrow(/id/)
  })

  it('is applied by options that stand before its arguments, whatever these are', () => {
    const [form] = COMMANDS.filter(({ words }) => words === 'decide')
    const args = form && argumentsOf(form, { id: '--force', decision: 'drop', request: '--' })
    expect(args).toEqual(['decide', '--request=--', '--', '--force', 'drop'])
    const applied = optionsBefore(args ?? [], ['--apply=0123abcd', '--why=a -- b'])
    expect(readGlobals(applied)).toMatchObject({
      apply: true,
      plan: '0123abcd',
      why: 'a -- b',
      force: false,
      rest: ['decide', '--request=--', '--', '--force', 'drop'],
    })
  })
})
