import { isDeepStrictEqual, parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../../../src/tools/console/actions.ts'
import {
  argumentsOf,
  type Field,
  type Form,
  optionsBefore,
} from '../../../src/tools/console/form.ts'
import { RequestError } from '../../../src/tools/console/requestError.ts'
import { ROUTES } from '../../../src/tools/console/routes.ts'
import { readGlobals } from '../../../src/tools/cli/globals.ts'

const FORMS: readonly (readonly [string, Form])[] = [
  ...Object.entries(ROUTES),
  ...Object.entries(ACTIONS).map(([name, { form }]) => [name, form] as const),
]

/** What fits each field, so that only one at a time is hostile. */
const FITTING: Readonly<Record<string, string>> = {
  plan: '0123abcd',
  queue: 'orders-dead',
  queues: 'orders',
  to: 'orders',
  file: 'dead.jsonl',
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
  switch (field.as) {
    case 'flag':
    case 'page':
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
  if (field.as === 'values') return { [text]: text }
  return field.as === 'option' && field.many === true ? [text, text] : text
}

type Given = Readonly<Record<string, unknown>>

/** The fields that are required, and the one that is tried. */
function givenFor({ fields }: Form, tried: string, value: unknown): Given {
  const required = Object.entries(fields).filter(([, field]) => field.required === true)
  return {
    ...Object.fromEntries(required.map(([name, field]) => [name, fittingFor(name, field)])),
    [tried]: value,
  }
}

/** The arguments; undefined: refused. @throws what is no refusal */
function made(form: Form, given: Given): readonly string[] | undefined {
  try {
    return argumentsOf(form, given)
  } catch (error) {
    if (error instanceof RequestError && error.status === 400) return undefined
    throw error
  }
}

/** Values of another type than the field's. */
function wrongFor(field: Field): readonly unknown[] {
  switch (field.as) {
    case 'json':
      return []
    case 'flag':
    case 'page':
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
function readAs({ words, fields }: Form, args: readonly string[]): Read {
  const { rest, typed, ...globals } = readGlobals(args)
  const options = Object.entries(fields).flatMap(([name, field]) => {
    if (field.as === 'argument' || field.as === 'page') return []
    const type = field.as === 'flag' ? ('boolean' as const) : ('string' as const)
    return [[field.name ?? name, { type, multiple: true }] as const]
  })
  const read = parseArgs({
    args: rest.slice(words.length),
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: true,
  })
  expect(typed).toEqual(args)
  return {
    globals,
    words: rest.slice(0, words.length),
    options: { ...read.values },
    positionals: read.positionals,
  }
}

/** What the command has to read: the given values, whatever they look like. */
function expectedOf({ words, fields }: Form, given: Given): Read {
  const { rest: _rest, typed: _typed, ...globals } = readGlobals([])
  const options: Record<string, unknown> = {}
  const positionals: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name]
    if (value === undefined || field.as === 'page') continue
    if (field.as === 'argument') positionals.push(value as string)
    else Object.assign(options, { [field.name ?? name]: valuesOf(field, value) })
  }
  return { globals, words, options, positionals }
}

function valuesOf(field: Field, value: unknown): readonly unknown[] {
  if (field.as === 'flag') return [true]
  if (field.as === 'json') return [JSON.stringify(value)]
  if (field.as !== 'values') return [value].flat()
  return Object.entries(value as object).map(([key, each]) => `${key}=${JSON.stringify(each)}`)
}

describe.each(FORMS)('the form of %s', (_name, form) => {
  it('takes what fits, each field alone', () => {
    for (const [name, field] of Object.entries(form.fields)) {
      const args = made(form, givenFor(form, name, fittingFor(name, field)))
      expect(args?.slice(0, form.words.length)).toEqual(form.words)
    }
  })

  it('never makes an option of a value: it is refused, or reaches its command as the value that it is', () => {
    for (const [name, field] of Object.entries(form.fields)) {
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
    const tried = Object.entries(form.fields).flatMap(([name, field]) =>
      wrongFor(field).map((value) => givenFor(form, name, value)),
    )
    expect(tried.filter((given) => made(form, given) !== undefined)).toEqual([])
  })

  it('refuses the want of a field that is required, and fields that it does not know', () => {
    const { x: _x, ...whole } = givenFor(form, 'x', undefined)
    const wants = Object.entries(form.fields)
      .filter(([, { required }]) => required === true)
      .map(([name]) => ({ ...whole, [name]: undefined }))
    const more = ['apply', 'force', 'why', 'by', 'table', '__proto__', 'toString', ''].map(
      (name) => Object.fromEntries([...Object.entries(whole), [name, 'z']]) as Given,
    )
    const known = more.filter((given) =>
      Object.keys(given).some((name) => !Object.hasOwn(form.fields, name)),
    )
    expect([...wants, ...known].filter((given) => made(form, given) !== undefined)).toEqual([])
  })
})

describe('an action', () => {
  it('is one of these, and no other command', () => {
    expect(Object.keys(ACTIONS)).toMatchSnapshot()
  })

  it('is applied by options that stand before its arguments, whatever these are', () => {
    const args = argumentsOf(
      { words: ['flow', 'forget'], fields: ACTIONS['flow.forget']?.form.fields ?? {} },
      { id: '--force', request: '--' },
    )
    expect(args).toEqual(['flow', 'forget', '--', '--force', '--'])
    const applied = optionsBefore(args, ['--apply=0123abcd', '--why=a -- b'])
    expect(readGlobals(applied)).toMatchObject({
      apply: true,
      plan: '0123abcd',
      why: 'a -- b',
      force: false,
      rest: ['flow', 'forget', '--', '--force', '--'],
    })
  })
})
