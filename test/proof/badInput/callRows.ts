import type { IdempotentOptions } from 'lineclear'
import { jmespathOf } from '../../call/jmespathOf.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { albEvent, functionUrlEvent, httpApiEvent, restEvent } from '../../call/httpEvents.ts'
import { NOW } from './consumerHarness.ts'

type Options = Partial<IdempotentOptions<[event: unknown], unknown>>

/** One bad request, or call. */
export interface CallRow {
  readonly what: string
  readonly event: unknown
  readonly options?: Options
  readonly items?: readonly (Item & StoreKey)[]
  /** Status of the answer; or the error that the caller is given; or the function runs. */
  readonly end: number | 'throws' | 'runs'
  /** In the answer's body, or in the error. */
  readonly text?: string
}

const body = { cents: 5 }
const APIS = { rest: restEvent, http: httpApiEvent, url: functionUrlEvent, alb: albEvent }
const multi = (headers: Readonly<Record<string, string>>) => albEvent({ headers, body }, 'multi')
const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key }, body })
const missing = { end: 400, text: 'IDEMPOTENCY_KEY_MISSING' } as const
const none = { end: 'throws', text: 'has no usable idempotency key' } as const
const runs = { end: 'runs' } as const
const withHeaders = (headers: unknown) => ({
  ...restEvent({ body }),
  headers,
  multiValueHeaders: null,
})

const headerRows: readonly CallRow[] = [
  ...Object.entries(APIS).flatMap(([api, event]): CallRow[] => [
    { what: `${api}: no key`, event: event({ body }), ...missing },
    { what: `${api}: an empty key`, event: event(keyed('')), ...missing },
    { what: `${api}: a key of spaces`, event: event(keyed('   ')), ...missing },
    { what: `${api}: a key of two quotes`, event: event(keyed('""')), ...missing },
    { what: `${api}: a key with half a quote`, event: event(keyed('"abc')), ...runs },
    { what: `${api}: a key named __proto__`, event: event(keyed('__proto__')), ...runs },
    {
      what: `${api}: a key of 100,000 characters`,
      event: event(keyed('x'.repeat(100_000))),
      ...runs,
    },
  ]),
  { what: 'no headers', event: withHeaders(undefined), ...missing },
  { what: 'headers that are null', event: withHeaders(null), ...missing },
  { what: 'headers that are a text', event: withHeaders('Idempotency-Key: x'), ...missing },
  { what: 'headers that are a list', event: withHeaders(['Idempotency-Key', 'x']), ...missing },
  { what: 'a key that is a number', event: withHeaders({ 'Idempotency-Key': 7 }), ...missing },
  { what: 'a key that is null', event: withHeaders({ 'Idempotency-Key': null }), ...missing },
  {
    what: 'a key that is an object',
    event: withHeaders({ 'Idempotency-Key': { key: 'x' } }),
    ...missing,
  },
  {
    what: 'a key in an inherited header',
    event: withHeaders(JSON.parse('{"__proto__":{"idempotency-key":"x"}}')),
    ...missing,
  },
  { what: 'multi-value: no key', event: multi({}), ...missing },
  { what: 'multi-value: a key', event: multi({ 'Idempotency-Key': 'x' }), ...runs },
  {
    what: 'multi-value: a list without a key',
    event: { ...multi({}), multiValueHeaders: { 'idempotency-key': [] } },
    ...missing,
  },
  {
    what: 'multi-value: a list of numbers',
    event: { ...multi({}), multiValueHeaders: { 'idempotency-key': [7] } },
    ...missing,
  },
  {
    what: 'an HTTP event without a context',
    event: { version: '2.0', rawPath: '/', headers: {} },
    ...missing,
  },
  {
    what: 'an HTTP event whose context is null',
    event: { ...restEvent({ body }), requestContext: null },
    ...missing,
  },
  {
    what: 'an HTTP event without a method',
    event: { ...httpApiEvent(keyed('x')), requestContext: { http: {} } },
    ...runs,
  },
  {
    what: 'an HTTP event whose body is a number',
    event: { ...restEvent(keyed('x')), body: 7 },
    ...runs,
  },
  {
    what: 'an HTTP event whose body is half a JSON',
    event: restEvent({ ...keyed('x'), body: '{"cents":' }),
    ...runs,
  },
]

const call = (event: unknown, options: Options = {}) => ({ event, options }) as const
const giving = (
  what: string,
  given: () => unknown,
  end: Pick<CallRow, 'end' | 'text'>,
): CallRow => ({
  what: `a key function that gives ${what}`,
  ...call({}, { key: given as () => string }),
  ...end,
})
const circle: { self?: unknown } = {}
circle.self = circle

const keyRows: readonly CallRow[] = [
  { what: 'no HTTP request, and no option key', ...call({ id: 1 }), ...none },
  { what: 'a call with nothing', ...call(undefined), ...none },
  giving('nothing', () => undefined, none),
  giving('null', () => null, none),
  giving('an empty text', () => '', none),
  giving('not a number', () => Number.NaN, none),
  giving('an empty list', () => [], none),
  giving('a list with a gap', () => ['a', undefined], {
    end: 'throws',
    text: 'part 2 of 2 is missing',
  }),
  giving('an empty object', () => ({}), none),
  giving('an object of nothing', () => ({ a: null, b: [''] }), none),
  giving('a function', () => () => 'x', none),
  giving('a symbol', () => Symbol('x'), none),
  giving('an error', () => JSON.parse('{'), {
    end: 'throws',
    text: 'it cannot be read (SyntaxError)',
  }),
  giving('a circle', () => circle, { end: 'throws', text: 'it cannot be read' }),
  giving('0', () => 0, runs),
  giving('false', () => false, runs),
  giving('a bigint', () => 9n, runs),
  giving('a lone surrogate', () => '\ud800', runs),
  giving('a date that is none', () => new Date(Number.NaN), {
    end: 'throws',
    text: 'it is missing',
  }),
  {
    what: 'a plain key of 5,000 characters',
    ...call({}, { key: () => 'x'.repeat(5_000), hash: 'plain' }),
    end: 'throws',
    text: 'too long',
  },
  {
    what: 'an expression that finds nothing',
    ...call({ a: 1 }, { key: jmespathOf('b.c') }),
    ...none,
  },
  {
    what: 'an expression that finds nothing in a text',
    ...call('text', { key: jmespathOf('b') }),
    ...none,
  },
  {
    what: 'an expression with a part that is missing',
    ...call({ a: 1 }, { key: jmespathOf('[a, b]') }),
    end: 'throws',
    text: 'part 2 of 2 is missing',
  },
  {
    what: 'an expression that finds a constructor',
    ...call({ a: 1 }, { key: jmespathOf('constructor') }),
    ...none,
  },
  {
    what: 'an expression that finds __proto__',
    ...call({ a: 1 }, { key: jmespathOf('"__proto__"') }),
    ...none,
  },
  {
    what: 'an expression on half a JSON',
    event: restEvent({ body: '{"id":' }),
    options: { key: jmespathOf('powertools_json(body).id') },
    end: 400,
    text: 'it is missing',
  },
  {
    what: 'an expression on no body',
    event: restEvent(),
    options: { key: jmespathOf('powertools_json(body).id') },
    end: 400,
    text: 'it cannot be read',
  },
  {
    what: 'a tenant that is missing',
    ...call({ id: 'a' }, { key: () => 'a', tenant: () => undefined }),
    end: 'throws',
    text: 'tenant: it is missing',
  },
]

/** Of the call with key `a` in name `calls`, which the test hashes. */
const TOKEN = { pk: 'KEY', sk: 'token', attemptId: 'a-1', attempt: 1, fence: 1, created: 'then' }
const stored = (what: string, item: Item, end: Pick<CallRow, 'end' | 'text'>): CallRow => ({
  what: `a token ${what}`,
  event: restEvent(keyed('a')),
  items: [{ ...TOKEN, ...item }],
  ...end,
})
const storedRows: readonly CallRow[] = [
  stored('of a newer version', { status: 'paused' }, { end: 503, text: 'STORE_UNAVAILABLE' }),
  stored('without an attempt', { attempt: 'one' }, { end: 503, text: 'STORE_UNAVAILABLE' }),
  stored('with a fence that is a text', { fence: '1' }, { end: 503, text: 'STORE_UNAVAILABLE' }),
  stored('that is done, without a result', {}, { end: 410, text: 'RESPONSE_NOT_KEPT' }),
  stored(
    'that is done, with half a result',
    { result: '{"statusCode":' },
    { end: 410, text: 'RESPONSE_NOT_KEPT' },
  ),
  stored(
    'that is done, with a result of a wrong type',
    { result: 7 },
    { end: 410, text: 'RESPONSE_NOT_KEPT' },
  ),
  stored(
    'that is done, with a tag of a newer version',
    { result: '{"$lineclear":"bigint","value":"x"}' },
    { end: 410, text: 'RESPONSE_NOT_KEPT' },
  ),
  stored('whose result has gone', { resultIn: 'item' }, { end: 410, text: 'RESPONSE_NOT_KEPT' }),
  stored(
    'whose result is in a store that is not named',
    { resultIn: 'store' },
    { end: 410, text: 'RESPONSE_NOT_KEPT' },
  ),
  stored(
    'of another payload',
    { payloadHash: 'f'.repeat(64) },
    { end: 422, text: 'IDEMPOTENCY_KEY_REUSED' },
  ),
  stored(
    'that another caller holds',
    { status: 'inProgress', leaseUntil: NOW + 60_000 },
    { end: 409, text: 'IDEMPOTENCY_KEY_IN_USE' },
  ),
  stored(
    'that waits for an operator',
    { status: 'error', error: 'secret' },
    { end: 500, text: 'FAILED' },
  ),
  stored('with an unknown outcome', { status: 'unknown' }, { end: 500, text: 'OUTCOME_UNKNOWN' }),
  stored('whose attempt is dead', { status: 'inProgress', leaseUntil: NOW - 1 }, runs),
]

/** Requests and calls by key, by what is wrong with them. */
export const CALLS: Readonly<Record<string, readonly CallRow[]>> = {
  'HTTP requests': headerRows,
  keys: keyRows,
  'what a key has left': storedRows,
}
