import { describe, expect, it } from 'vitest'
import {
  isSuccess,
  REPLAY_HEADER,
  withoutCookies,
  withReplayHeader,
  type HttpProblem,
  problemResponse,
} from '../../../src/library/entries/call/http/httpAnswer.ts'
import { callerOf } from '../../../src/library/entries/call/http/caller.ts'
import {
  headerView,
  type HttpEvent,
  isAsynchronous,
  readHttpEvent,
  idempotencyKeyHeader,
  unquoted,
} from '../../../src/library/entries/call/http/httpEvent.ts'

function http(event: object): HttpEvent {
  const read = readHttpEvent(event)
  if (read === undefined) throw new Error('no HTTP event')
  return read
}

const rest = { httpMethod: 'PUT', path: '/a' }
const api = { version: '2.0', rawPath: '/b', requestContext: { http: { method: 'GET' } } }
const alb = { ...rest, requestContext: { elb: { targetGroupArn: 'arn' } } }

describe('an HTTP event', () => {
  it.each([
    [rest, { source: 'rest', method: 'PUT', path: '/a', body: undefined, multiValueOnly: false }],
    [api, { source: 'http', method: 'GET', path: '/b', multiValueOnly: false }],
    [
      { ...api, version: '1.0' },
      { source: 'http', method: 'GET', path: '/b' },
    ],
    [
      { version: '2.0', rawPath: '/b' },
      { source: 'http', method: '', path: '/b' },
    ],
    [
      { ...alb, headers: {} },
      { source: 'alb', multiValueOnly: false },
    ],
    [
      { ...alb, multiValueHeaders: {} },
      { source: 'alb', multiValueOnly: true },
    ],
    [
      { ...rest, method: 'GET', body: '{}' },
      { source: 'rest', method: 'GET', body: '{}' },
    ],
    [
      { ...rest, path: 5, body: 5 },
      { path: '', body: 5 },
    ],
    [
      { ...rest, requestContext: 'none' },
      { source: 'rest', requestContext: {} },
    ],
    [
      { ...rest, requestContext: { http: 'none' } },
      { source: 'rest', method: 'PUT' },
    ],
  ])('is read: %j', (event, expected) => {
    expect(readHttpEvent(event)).toMatchObject(expected)
  })

  it.each([
    null,
    undefined,
    'GET /',
    {},
    { rawPath: '/b' },
    { version: '2.0' },
    { version: '1.0', rawPath: '/b' },
    { httpMethod: 5 },
    { requestContext: { elb: {} } },
  ])('is not %j', (event) => {
    expect(readHttpEvent(event)).toBeUndefined()
  })

  it.each([
    [{ queryStringParameters: { a: '1' } }, { a: '1' }],
    [
      { queryStringParameters: { a: '1' }, multiValueQueryStringParameters: { a: ['1', '2'] } },
      { a: ['1', '2'] },
    ],
    [{ rawQueryString: 'a=1', multiValueQueryStringParameters: {} }, 'a=1'],
    [{}, undefined],
  ])('has the most specific query field: %j', (more, query) => {
    expect(http({ ...rest, ...more }).query).toEqual(query)
  })

  it('finds a header whatever the case of its name: the last of several, single values first', () => {
    const { header } = http({
      ...rest,
      headers: { 'X-A': '1', 'x-n': 5 },
      multiValueHeaders: { 'x-a': ['2', '3'], 'X-B': ['4', '5'], 'x-c': [], 'x-d': '6' },
    })
    const names = ['x-a', 'X-A', 'X-b', 'x-c', 'x-D', 'x-n', 'x-e']
    expect(names.map(header)).toEqual(['1', '1', '5', undefined, '6', undefined, undefined])
    expect(http({ ...rest, headers: 'none' }).header('0')).toBeUndefined()
  })

  it.each([
    [{ Records: [] }, true],
    [{ Records: {} }, false],
    [{ 'detail-type': 'Placed', source: 'shop' }, true],
    [{ Data: 1, SystemMetadata: { 'aws:DeliveryType': 'LIVE' } }, true],
    [[{ Data: 1, SystemMetadata: { 'aws:DeliveryType': 'REPLAY' } }], true],
    [{ Data: 1, SystemMetadata: {} }, false],
    [[], false],
    [{ 'detail-type': 'Placed' }, false],
    [{ source: 'shop' }, false],
    [null, false],
    ['Records', false],
  ])('of a queue, stream or bus is asynchronous, others are not: %j', (event, expected) => {
    expect(isAsynchronous(event)).toBe(expected)
  })
})

describe('the caller', () => {
  const caller = (requestContext: object): string | undefined =>
    callerOf(http({ ...rest, requestContext }))?.replaceAll('\n', ' ')

  it.each<[string, object, string | undefined]>([
    ['JWT', { authorizer: { jwt: { claims: { sub: 'u1' } }, principalId: 'p' } }, 'jwt u1'],
    ['Cognito', { authorizer: { claims: { sub: 'u2' }, principalId: 'p' } }, 'jwt u2'],
    [
      'a REST authorizer',
      { authorizer: { principalId: 'u3', lambda: { principalId: 'l' } } },
      'authorizer u3',
    ],
    ['an HTTP authorizer', { authorizer: { lambda: { principalId: 'u4' } } }, 'authorizer u4'],
    ['IAM of an HTTP API', { authorizer: { iam: { callerId: 'AROA1:s1' } } }, 'iam AROA1'],
    ['IAM of a REST API', { identity: { caller: 'AROA2:s2', apiKeyId: 'k' } }, 'iam AROA2'],
    ['IAM without a session', { identity: { caller: 'AIDA3' } }, 'iam AIDA3'],
    ['an API key', { identity: { apiKeyId: 'k1' } }, undefined],
    [
      'IAM before the key',
      { authorizer: { iam: { callerId: 'A:s' } }, identity: { caller: 'B' } },
      'iam A',
    ],
    ['no caller', {}, undefined],
    ['an empty name', { authorizer: { principalId: '' }, identity: { caller: 'C' } }, 'iam C'],
    ['no name', { authorizer: { principalId: 5 } }, undefined],
    ['an odd authorizer', { authorizer: 'x', identity: null }, undefined],
  ])('is read from %s', (_, context, expected) => {
    expect(caller(context)).toBe(expected)
  })
})

describe('the Idempotency-Key', () => {
  it.each([
    ['8e03', '8e03'],
    [' 8e03 ', '8e03'],
    ['"8e03"', '8e03'],
    ['"8e03"; v=1', '8e03'],
    ['"8e03" ;v=1', '8e03'],
    ['"a b"', 'a b'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    [String.raw`"a\b"`, String.raw`"a\b"`],
    ['"a"b"', '"a"b"'],
    ['"open', '"open'],
    ['x"8e03"', 'x"8e03"'],
    ['"8e03"x', '"8e03"x'],
    ['""', undefined],
    ['', undefined],
    ['  ', undefined],
  ])('%j is %j', (text, key) => {
    expect(unquoted(text)).toBe(key)
    expect(idempotencyKeyHeader({ ...rest, headers: { 'IDEMPOTENCY-KEY': text } })).toBe(key)
  })

  it('is undefined without a header, or for an event that is no HTTP request', () => {
    expect(idempotencyKeyHeader(rest)).toBeUndefined()
    expect(idempotencyKeyHeader({ headers: { 'idempotency-key': 'k' } })).toBeUndefined()
  })
})

describe('the event as an expression sees it', () => {
  const view = (event: unknown): Record<string, unknown> =>
    (headerView(event) as { headers: Record<string, unknown> }).headers

  it('finds headers in any case, the key without quotes', () => {
    const headers = view({ ...rest, headers: { 'Idempotency-Key': '"k"', 'X-Text': '"t"' } })
    expect(headers['idempotency-key']).toBe('k')
    expect(headers['IDEMPOTENCY-KEY']).toBe('k')
    expect(headers['x-text']).toBe('"t"')
    expect(headers['x-none']).toBeUndefined()
    expect(headers['toString']).toBe(Object.prototype.toString)
    expect(Reflect.get(headers, Symbol.toStringTag)).toBeUndefined()
  })

  it('also in an event with multi-value headers only, and leaves the rest as it is', () => {
    const event = { ...rest, multiValueHeaders: { 'Idempotency-Key': ['"k"'] }, body: '{}' }
    expect(view(event)['idempotency-key']).toBe('k')
    expect(headerView(event)).toMatchObject({ ...event })
    expect(view({ ...rest, headers: 'none' })['length']).toBeUndefined()
  })

  it('leaves values that are no texts as they are', () => {
    expect(view({ ...rest, headers: { 'idempotency-key': 5 } })['idempotency-key']).toBe(5)
  })

  it.each([null, 'text', { Records: [] }])(
    'is the event itself where it is no HTTP: %j',
    (event) => {
      expect(headerView(event)).toBe(event)
    },
  )
})

describe('an answer that is replayed', () => {
  const answer = { statusCode: 200, body: 'x' }

  it('has no cookies of the first caller', () => {
    const cookie = { 'Set-Cookie': 'a=1', 'x-a': '1' }
    const full = { ...answer, cookies: ['a=1'], headers: cookie, multiValueHeaders: cookie }
    const kept = { 'x-a': '1' }
    expect(withoutCookies(full)).toEqual({ ...answer, headers: kept, multiValueHeaders: kept })
    expect(withoutCookies(answer)).toEqual(answer)
    expect(withoutCookies({ ...answer, headers: 'odd' })).toEqual({ ...answer, headers: 'odd' })
    const body = { cookies: ['a=1'] }
    expect(withoutCookies(body)).toBe(body)
  })

  it('has the replay header where its other headers are', () => {
    const mark = { [REPLAY_HEADER]: 'then' }
    expect(REPLAY_HEADER).toBe('x-idempotency-from')
    expect(withReplayHeader(answer, 'then')).toEqual({ ...answer, headers: mark })
    const headers = { 'x-a': '1' }
    expect(withReplayHeader({ ...answer, headers }, 'then')).toEqual({
      ...answer,
      headers: { ...headers, ...mark },
    })
    const multiValueHeaders = { 'x-a': ['1'] }
    expect(withReplayHeader({ ...answer, multiValueHeaders }, 'then')).toEqual({
      ...answer,
      multiValueHeaders: { ...multiValueHeaders, [REPLAY_HEADER]: ['then'] },
    })
    expect(withReplayHeader({ ...answer, headers: 'odd' }, 'then')).toEqual({
      ...answer,
      headers: mark,
    })
    expect(withReplayHeader('body', 'then')).toBe('body')
  })

  it.each<[unknown, boolean]>([
    [{ statusCode: 200 }, true],
    [{ statusCode: 299 }, true],
    [{ statusCode: '201' }, true],
    [{ statusCode: 199 }, false],
    [{ statusCode: 300 }, false],
    [{ statusCode: 'ok' }, false],
  ])('is stored when it is a success: %j', (given, expected) => {
    expect(isSuccess(given, http(rest))).toBe(expected)
  })

  it('may be a bare value where the API takes one', () => {
    expect(isSuccess({ id: 1 }, http(api))).toBe(true)
    expect(isSuccess('text', http(api))).toBe(true)
    expect(isSuccess({ id: 1 }, http(rest))).toBe(false)
    expect(isSuccess(null, http(alb))).toBe(false)
  })
})

describe('a problem', () => {
  const headers = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }

  it.each<[HttpProblem['status'], string]>([
    [400, 'Bad Request'],
    [409, 'Conflict'],
    [410, 'Gone'],
    [422, 'Unprocessable Content'],
    [500, 'Internal Server Error'],
    [503, 'Service Unavailable'],
  ])('%d has the title of its status', (status, title) => {
    const problem = { status, code: 'c', detail: 'd' }
    expect(problemResponse(http(rest), problem)).toEqual({
      statusCode: status,
      headers,
      body: JSON.stringify({ title, status, detail: 'd', code: 'c' }),
      isBase64Encoded: false,
    })
  })

  it('says when to retry, in the headers that its API reads', () => {
    const problem = { status: 409, code: 'c', detail: 'd', retryAfter: 3 } as const
    expect(problemResponse(http(rest), problem).headers).toEqual({ ...headers, 'retry-after': '3' })
    const multi = problemResponse(http({ ...alb, multiValueHeaders: {} }), problem)
    expect(multi).not.toHaveProperty('headers')
    expect(multi.multiValueHeaders).toEqual({
      'content-type': ['application/problem+json'],
      'cache-control': ['no-store'],
      'retry-after': ['3'],
    })
  })
})
