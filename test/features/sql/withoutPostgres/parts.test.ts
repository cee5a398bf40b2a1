import { describe, expect, it } from 'vitest'
import {
  markKey,
  postgresTables,
  tableNames,
  markKeptFor,
} from '../../../../src/library/features/sql/statements.ts'
import { isMade, raised } from '../../../../src/library/features/sql/effects.ts'
import { plainResult } from '../../../../src/library/features/sql/transact.ts'
import { sqlStateOf, whyFailed } from '../../../../src/library/features/sql/setUpError.ts'

const DAY = 86_400_000
const FENCING = {
  subject: 'orders/a',
  request: 'a',
  stage: '',
  epoch: 0,
  fence: 1,
  isSurelyFirst: false,
}

describe('the columns of an effect', () => {
  const subjectOf = (subject: string): string => markKey({ ...FENCING, subject }, 'book').subject

  it('are the names themselves', () => {
    expect(markKey(FENCING, 'book')).toEqual({
      subject: 'orders/a',
      request: 'a',
      stage: '',
      name: 'book',
    })
    expect(subjectOf('ä'.repeat(300))).toBe('ä'.repeat(300))
  })

  /** Another hash in the next version would make the effects again of a request that is still on its way. */
  it.each([
    [
      'too long for an index',
      `${'ä'.repeat(300)}x`,
      'hash:1JJpa6MYarpFn0GyWM5oEIzRBIVGLL-qDiZLWpV5l-U',
    ],
    ['with the character 0', 'a\0', 'hash:CYdhll-xArB8GZxSfNlp37nxOAlNRWvVND8YUMJK_38'],
    ['with half a surrogate pair', '\ud800', 'hash:DkbTS5ksHvXIe8QuJpTRTdZr1dKSyObBA0mkYBfU-cA'],
  ])('have a hash in place of a text that is %s, the same in every version', (_, text, hash) => {
    expect(subjectOf(text)).toBe(hash)
  })
})

describe('an error of a transaction', () => {
  const error = (code: string, message = ''): Error => Object.assign(new Error(message), { code })

  it.each<[what: string, error: unknown, why: string]>([
    ['a serialization failure', error('40001'), 'conflict'],
    ['a deadlock', error('40P01'), 'conflict'],
    ['a conflict within a lost connection', new Error('a', { cause: error('40001') }), 'conflict'],
    ['a connection that failed', error('08006'), 'lost'],
    ['a connection that does not exist', error('08003'), 'lost'],
    ['a shutdown', error('57P01'), 'lost'],
    ['a database that was dropped', error('57P04'), 'lost'],
    ['a session that was idle', error('57P05'), 'lost'],
    ['too many connections', error('53300'), 'lost'],
    ['a transaction that was idle', error('25P03'), 'lost'],
    ['a transaction that took too long', error('25P04'), 'lost'],
    ['a closed connection of postgres.js', error('CONNECTION_CLOSED'), 'lost'],
    ['no connection of postgres.js', error('CONNECT_TIMEOUT'), 'lost'],
    ['a closed connection of pg', new Error('Connection terminated unexpectedly'), 'lost'],
    ['no connection of a pool of pg', new Error('timeout exceeded when trying to connect'), 'lost'],
    [
      'a broken client of pg',
      new Error('Client has encountered a connection error and is not queryable'),
      'lost',
    ],
    ['a socket', error('ECONNRESET'), 'lost'],
    ['a unique violation', error('23505'), 'own'],
    ['a statement that took too long', error('57014'), 'own'],
    ['an aborted transaction', error('25P02'), 'own'],
    ['a code that only begins as one', error('08006x'), 'own'],
    ['a code that only ends as one', error('x57P01'), 'own'],
    ['a code of something else', error('MY_CONNECTION_CLOSED_TWICE'), 'own'],
    ['a code that is a number', Object.assign(new Error('a'), { code: 53_300 }), 'own'],
    ['a text', '40001', 'own'],
    ['nothing', undefined, 'own'],
    ['null', null, 'own'],
    ['a message that is a list', { message: ['Connection terminated'] }, 'own'],
  ])('that is %s', (_what, thrown, why) => {
    expect(whyFailed(thrown)).toBe(why)
  })

  it('is found among five causes, and in a circle', () => {
    const within = (causes: number): unknown =>
      causes === 0 ? error('40001') : new Error('a', { cause: within(causes - 1) })
    expect([5, 6].map((causes) => whyFailed(within(causes)))).toEqual(['conflict', 'own'])
    const circle = new Error('a')
    circle.cause = circle
    expect(whyFailed(circle)).toBe('own')
  })

  it.each([
    ['23505', '23505'],
    ['ECONNRESET', undefined],
    ['23505X', undefined],
    ['2350', undefined],
    ['23a05', undefined],
  ])('with the code %s has the SQLSTATE %s', (code, state) => {
    expect(sqlStateOf(new Error('a', { cause: error(code) }))).toBe(state)
  })
})

it('a result of pg is stored without its functions, another one as it is', () => {
  const result = { command: 'INSERT', rowCount: 1, oid: 0, rows: [], fields: [] }
  expect(plainResult({ ...result, parse: () => {} })).toEqual(result)
  const { fields: _fields, ...others } = result
  for (const each of [others, [], null, undefined, 'text', 7]) expect(plainResult(each)).toBe(each)
})

describe('the tables', () => {
  it.each(['billing', '_b', 'B$1', 'b'.repeat(63)])('are in the schema %s', (schema) => {
    expect(tableNames('test', schema)).toMatchObject({
      fence: `"${schema}".lineclear_fence`,
      mark: `"${schema}".lineclear_mark`,
    })
  })

  it.each(['', '1b', 'a"b', 'a b', 'b'.repeat(64), 7, null])('are in no schema %j', (schema) => {
    expect(() => postgresTables(schema as string)).toThrow(
      /^postgresTables: schema: expected the name of a schema, such as billing/,
    )
  })

  it('are in the first schema of the search path by default', () => {
    expect(postgresTables()).toContain('CREATE TABLE IF NOT EXISTS lineclear_mark (')
  })
})

describe('the rule of the gate', () => {
  const row = { epoch: 2, stages: { '': 5, ship: 9 }, expires: 100 }
  const at = (changes: object, now = 100) =>
    raised(row, { ...FENCING, epoch: 2, fence: 5, ...changes }, 50, now)

  it.each<[what: string, changes: object, now: number, expected: object | undefined]>([
    ['its own fence', {}, 100, { epoch: 2, stages: { '': 5, ship: 9 }, expires: 150 }],
    ['a later attempt', { fence: 6 }, 100, { epoch: 2, stages: { '': 6, ship: 9 }, expires: 150 }],
    ['an earlier attempt', { fence: 4 }, 100, undefined],
    [
      'another stage',
      { stage: 'pay', fence: 1 },
      100,
      { epoch: 2, stages: { '': 5, ship: 9, pay: 1 }, expires: 150 },
    ],
    ['a later run', { epoch: 3, fence: 1 }, 100, { epoch: 3, stages: { '': 1 }, expires: 150 }],
    ['an earlier run', { epoch: 1, fence: 9 }, 100, undefined],
    [
      'an earlier run after the row has expired',
      { epoch: 1, fence: 1 },
      101,
      { epoch: 1, stages: { '': 1 }, expires: 151 },
    ],
  ])('%s', (_what, changes, now, expected) => {
    expect(at(changes, now)).toEqual(expected)
  })

  it('a mark counts to its last millisecond, and outlives its request by a tenth, at most a day', () => {
    const mark = { result: undefined, made: 0, expires: 100 }
    expect([100, 101].map((now) => isMade(mark, now))).toEqual([true, false])
    expect(isMade(undefined, 0)).toBe(false)
    expect([10 * DAY, 30 * DAY].map(markKeptFor)).toEqual([11 * DAY, 31 * DAY])
    expect(markKeptFor(DAY)).toBe(95_040_000)
  })
})
