import { parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../../../src/ops/console/actions.ts'
import { argumentsOf, type Field, type Form, optionsBefore } from '../../../src/ops/console/form.ts'
import { RequestError } from '../../../src/ops/console/requestError.ts'
import { ROUTES } from '../../../src/ops/console/routes.ts'
import { readGlobals } from '../../../src/ops/cli/globals.ts'

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

/** The fields that are required, and the one that is tried. */
function givenFor({ fields }: Form, tried: string, value: unknown): Record<string, unknown> {
  const required = Object.entries(fields).filter(([, field]) => field.required === true)
  return {
    ...Object.fromEntries(required.map(([name, field]) => [name, fittingFor(name, field)])),
    [tried]: value,
  }
}

/** The arguments; undefined: refused. @throws what is no refusal */
function made(form: Form, given: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  try {
    return argumentsOf(form, given)
  } catch (error) {
    if (error instanceof RequestError && error.status === 400) return undefined
    throw error
  }
}

/** As the command reads them: its own options and arguments, and those of all commands. */
function readAs({ words, fields }: Form, args: readonly string[]) {
  const { rest, ...globals } = readGlobals(args)
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
  return { globals: { ...globals, typed: [] }, words: rest.slice(0, words.length), read }
}

const NO_GLOBALS = { ...readGlobals([]), typed: [] }
const { rest: _, ...EXPECTED_GLOBALS } = NO_GLOBALS

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
        const value = hostileFor(field, text)
        const args = made(form, givenFor(form, name, value))
        if (args === undefined) continue
        const { globals, words, read } = readAs(form, args)
        expect(globals).toEqual(EXPECTED_GLOBALS)
        expect(words).toEqual(form.words)
        const options = read.values as Readonly<Record<string, unknown>>
        const optionName = 'name' in field ? (field.name ?? name) : name
        if (field.as === 'argument') expect(read.positionals).toContain(text)
        else if (field.as === 'option') expect(options[optionName]).toContain(text)
        else if (field.as === 'json') expect(options[optionName]).toEqual([JSON.stringify(value)])
        else if (field.as === 'values') {
          expect(options[optionName]).toContain(`${text}=${JSON.stringify(text)}`)
        } else expect(options).not.toHaveProperty(optionName)
        // Nothing else was set.
        const required = Object.entries(form.fields).filter(([, each]) => each.required === true)
        const known = [name, ...required.map(([each]) => each)]
        const set = Object.keys(options)
        const names = known.map((each) => {
          const of = form.fields[each]
          return of !== undefined && 'name' in of ? (of.name ?? each) : each
        })
        expect(set.filter((each) => !names.includes(each))).toEqual([])
      }
    }
  })

  it('refuses values of another type, unknown fields, and the want of one that is required', () => {
    for (const [name, field] of Object.entries(form.fields)) {
      if (field.as === 'json') continue
      for (const value of NO_TEXTS) {
        if (value === true && (field.as === 'flag' || field.as === 'page')) continue
        if (field.as === 'values' && JSON.stringify(value) === '{}') continue
        expect(made(form, givenFor(form, name, value))).toBeUndefined()
      }
      if (field.required === true) {
        const { [name]: _left, ...others } = givenFor(form, name, 'x')
        expect(made(form, others)).toBeUndefined()
      }
    }
    for (const name of ['apply', 'force', 'why', 'by', 'table', '__proto__', 'toString', '']) {
      const given = { ...givenFor(form, 'x', 'y'), [name]: 'z' }
      expect(made(form, given)).toBeUndefined()
    }
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
