import { describe, expect, it } from 'vitest'
import type { Envelope } from '../../../src/library/protocol/record/envelope/envelope.ts'
import { stableId } from '../../../src/library/base/ids.ts'
import {
  exceedsNestingLimit,
  MAX_NESTING,
  parsePayload,
  asNestingError,
  describeIssue,
} from '../../../src/library/protocol/record/message/parsePayload.ts'
import {
  identityOfEnvelope,
  identityWithPayload,
} from '../../../src/library/protocol/record/message/identity.ts'

const nested = (levels: number, [open, close]: string, inside = ''): string =>
  `${String(open).repeat(levels)}${inside}${String(close).repeat(levels)}`

describe('depth', () => {
  it.each<[string, string, boolean]>([
    ['lists at the limit', nested(MAX_NESTING, '[]'), false],
    ['lists beyond it', nested(MAX_NESTING + 1, '[]'), true],
    ['maps at the limit', nested(MAX_NESTING, '{}'), false],
    ['maps beyond it', nested(MAX_NESTING + 1, '{}'), true],
    ['many lists side by side', `[${'[],'.repeat(100)}[]]`, false],
    ['many maps side by side', `[${'{},'.repeat(100)}{}]`, false],
    ['brackets in a text', `["${'['.repeat(100)}"]`, false],
    ['brackets after an escaped quote', String.raw`["\"` + `${'['.repeat(100)}"]`, false],
    [
      'brackets after an escaped backslash',
      String.raw`["\\"` + `,${nested(MAX_NESTING, '[]')}]`,
      true,
    ],
    ['a text before', `["a",${nested(MAX_NESTING, '[]')}]`, true],
    ['an empty text before', `["",${nested(MAX_NESTING, '[]')}]`, true],
    ['a text that never ends', `"${'['.repeat(100)}`, false],
    ['nothing', '', false],
  ])('of %s', (_, json, expected) => {
    expect(exceedsNestingLimit(json)).toBe(expected)
  })

  it('is counted only after a RangeError', () => {
    const deep = nested(MAX_NESTING + 1, '[]')
    const broke = new RangeError('Maximum call stack size exceeded')
    expect(asNestingError(broke, deep)).toMatchObject({
      code: 'REJECTED',
      message: `the payload is nested more than ${MAX_NESTING} levels deep`,
      cause: broke,
    })
    expect(asNestingError(broke, '[]')).toBe(broke)
    const other = new Error('of the schema')
    expect(asNestingError(other, deep)).toBe(other)
  })
})

const LONG = 'x'.repeat(200)
const DECLARED = new Set(['a', 'b', 'p', LONG, `${LONG}y`])

describe('an issue of a schema', () => {
  it.each<[string, object, unknown, string]>([
    ['its message', { message: 'Required' }, {}, 'Required'],
    ['its place', { message: 'Required', path: ['a', 0, { key: 'b' }] }, {}, 'a.0.b: Required'],
    ['no place', { message: 'Required', path: [] }, {}, 'Required'],
    ['a code for a quotation', { message: 'not 4711', code: 'bad' }, { a: 4711 }, 'bad'],
    ['a type for a quotation', { message: 'not Secret', type: 'email' }, ['secret'], 'email'],
    ['a code before a type', { message: 'not s', code: 'c', type: 't' }, 's', 'c'],
    ['a code that is no text', { message: 'not s', code: 5, type: 't' }, 's', 't'],
    ['nothing more', { message: 'not s', code: 5 }, 's', 'refused'],
    ['what it expected', { message: 'not s', code: 'c', expected: 'n' }, 's', 'c, expected n'],
    ['no text as expected', { message: 'not s', code: 'c', expected: 5 }, 's', 'c'],
    ['what it received', { message: 'not xyz', received: ' XYZ ', code: 'c' }, {}, 'c'],
    ['the actual', { message: 'not xyz', actual: 'xyz', code: 'c' }, {}, 'c'],
    ['names', { message: 'Unrecognized key: "pin"', keys: ['pin'], code: 'c' }, {}, 'c'],
    ['a blank value, which is in every text', { message: 'Required' }, { a: ' ' }, 'Required'],
    [
      'no key of the payload as its place',
      { message: 'Required', path: ['a', 'bob@x.org'] },
      {},
      'a.*: Required',
    ],
    ['no key of the payload', { message: 'not bob@x.org', code: 'c' }, { 'bob@x.org': 1 }, 'c'],
    ['null', { message: 'not null' }, { a: null }, 'not null'],
    ['a truth', { message: 'not true' }, { a: true }, 'not true'],
    ['a place in its own words', { message: 'not s', path: ['p'], code: 'c' }, 's', 'p: c'],
  ])('describes %s', (_, issue, payload, text) => {
    expect(describeIssue(issue as never, payload, DECLARED)).toBe(text)
  })

  it('is cut where a payload could make it long', () => {
    const long = 'x'.repeat(200)
    const text = (issue: object): string => describeIssue(issue as never, 'q', DECLARED)
    expect(text({ message: 'a', path: [long] })).toBe(`${long}: a`)
    expect(text({ message: 'a', path: [`${long}y`] })).toBe(`${long}…: a`)
    expect(text({ message: 'q', code: `${long}y` })).toBe(`${long}…`)
    expect(text({ message: 'q', code: 'c', expected: `${long}y` })).toBe(`c, expected ${long}…`)
  })

  it('counts as a quotation when there are too many values to compare', () => {
    const values = (count: number): number[] => Array.from({ length: count }, () => 9)
    const issue = { message: 'Required', code: 'c' } as never
    // The issue's own three and the list itself count as well, and the walk begins at 0.
    expect(describeIssue(issue, values(9_996), DECLARED)).toBe('Required')
    expect(describeIssue(issue, values(9_997), DECLARED)).toBe('c')
  })

  it('does not overflow by a deep payload', () => {
    let deep: unknown = 'secret'
    for (let level = 0; level < 9_000; level++) deep = [deep]
    expect(describeIssue({ message: 'not secret', code: 'c' } as never, deep, DECLARED)).toBe('c')
  })
})

describe('a body', () => {
  const parse = (body: string): unknown => parsePayload(body, 'json', undefined)

  it.each([
    ['{', 'the body is not JSON (at character 1)'],
    ['', 'the body is not JSON (it ends too soon)'],
    ['[1,', 'the body is not JSON (it ends too soon)'],
    ['{"secret" 1}', 'the body is not JSON (at character 10)'],
    ['{\n"a" 1}', 'the body is not JSON (at character 6)'],
    ['secret', 'the body is not JSON'],
    ['x at position 5', 'the body is not JSON'],
    [`${'\n'.repeat(12)}{"a" 1}`, 'the body is not JSON (at character 17)'],
  ])('that is not JSON gives the position, and no quotation: %j', (body, message) => {
    expect(() => parse(body)).toThrow(expect.objectContaining({ code: 'REJECTED', message }))
  })

  it('may be text', () => {
    expect(parsePayload('{', 'text', undefined)).toBe('{')
    expect(parse('{"a":1}')).toEqual({ a: 1 })
  })

  const refusing = (count: number) => ({
    '~standard': {
      version: 1 as const,
      vendor: 'test',
      validate: () => ({
        issues: Array.from({ length: count }, (_, index) => ({ message: `issue ${index}` })),
      }),
    },
  })

  it.each([
    [1, 'the schema refuses the payload: issue 0'],
    [2, 'the schema refuses the payload: issue 0; issue 1'],
    [5, 'the schema refuses the payload: issue 0; issue 1; issue 2; issue 3; issue 4'],
    [7, 'the schema refuses the payload: issue 0; issue 1; issue 2; issue 3; issue 4; and 2 more'],
  ])('that the schema refuses for %d reasons gives the first five', (count, message) => {
    const read = (): unknown => parsePayload('{}', 'json', refusing(count))
    expect(read).toThrow(expect.objectContaining({ code: 'REJECTED', message }))
  })
})

describe('an identity', () => {
  const bare = { carried: { resendNumber: 0, hops: 0 } } as Envelope
  const wire = { id: 'm-1', source: 'sqs' } as const

  it.each<[string, object, unknown, object]>([
    [
      'stamped',
      { carried: { uniqueRequestId: 's' }, snsMessageId: 'n' },
      'm',
      { id: 's', source: 'attribute' },
    ],
    ['published', { ...bare, snsMessageId: 'n' }, 'm', { id: 'n', source: 'sns' }],
    ['sent', bare, 'm', { id: 'm', source: 'sqs' }],
  ])('without the payload: %s', (_, envelope, messageId, identity) => {
    expect(identityOfEnvelope(envelope as Envelope, messageId as string)).toEqual(identity)
  })

  it('is needed: without one all records would be the same', () => {
    const read = (): unknown => identityOfEnvelope(bare, '')
    expect(read).toThrow(/no messageId.*stays on its queue.*SQS always gives one/s)
    expect(read).toThrow(expect.objectContaining({ code: 'REJECTED' }))
  })

  it('is the one that the payload gives, if the option is set; another stamp is a conflict', () => {
    const stamped = { id: 's', source: 'attribute' } as const
    expect(identityWithPayload(wire, 'p', undefined)).toBe(wire)
    const asked = (payload: string): unknown =>
      identityWithPayload(stamped, payload, (id: string) => id)
    expect(asked('s')).toEqual({ ...stamped, computed: true })
    expect(() => asked('p')).toThrow(
      /stamped with the uniquerequestid s, and id\(payload\) gives another/,
    )
    expect(identityWithPayload(wire, 'p', (id) => id)).toMatchObject({ id: 'p', source: 'payload' })
  })

  it('is hashed when no attribute can carry it, with lone surrogates kept distinct', () => {
    const of = (payload: string): string => identityWithPayload(wire, payload, (id) => id).id
    expect(of('a b')).toBe(stableId('payload', 'a b'))
    expect(of('\ud800')).toBe(stableId('payload, escaped', JSON.stringify('\ud800')))
    expect(of('\ud800')).not.toBe(of('\ud801'))
  })

  it.each([
    ['', 'an empty text'],
    [null, 'null'],
    [undefined, 'nothing'],
    [5, 'a number'],
  ])('is a text that is not empty, and not %j', (id, text) => {
    const read = (): unknown => identityWithPayload(wire, {}, () => id as string)
    const message = `id(payload) gave ${text}: expected a text that names the request`
    expect(read).toThrow(expect.objectContaining({ code: 'REJECTED', message }))
  })
})
