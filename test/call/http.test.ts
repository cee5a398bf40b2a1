import { idempotent, type IdempotentOptions, RejectedError, TerminalError } from 'lineclear'
import { idempotencyKeyHeader } from '../../src/library/entries/call/http/httpEvent.ts'
import { jmespathOf } from './jmespathOf.ts'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { faultyStore } from './faultyStore.ts'
import {
  albEvent,
  functionUrlEvent,
  httpApiEvent,
  type HttpRequest,
  latticeEvent,
  latticeEventV1,
  restEvent,
} from './httpEvents.ts'

type Event = object
interface Answer {
  readonly statusCode: number
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
  readonly body?: string
  readonly cookies?: readonly string[]
}
type Options = Partial<IdempotentOptions<[event: Event, context: object], unknown>>

const KEY = { 'Idempotency-Key': '8e03978e-40d5-43dd-bc93-6894a57f9324' }
const APIS = [
  ['a REST API', restEvent],
  ['an HTTP API', httpApiEvent],
  ['a Function URL', functionUrlEvent],
  ['an ALB', albEvent],
  ['VPC Lattice', latticeEvent],
  ['VPC Lattice, version 1', latticeEventV1],
  ['an ALB with multi-value headers', (request: HttpRequest) => albEvent(request, 'multi')],
] as const

/** Callers as the API identifies them: the default of the option tenant. */
const OWN_CALLERS = { tenant: undefined }

/** As a browser asks before a request of another origin. */
const PREFLIGHT = {
  method: 'OPTIONS',
  headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
}

function api(
  respond: (run: number) => unknown,
  options: Omit<Options, 'tenant'> & { readonly tenant?: Options['tenant'] | undefined } = {},
) {
  const store = faultyStore()
  const logger = quietLogger()
  let runs = 0
  const handler = idempotent(
    { store, logger, name: 'api', tenant: 'none', ...options } as Options & {
      store: typeof store
    },
    async (_event: Event, _context: object): Promise<unknown> => respond((runs += 1)),
  )
  const call = async (event: Event): Promise<Answer> =>
    (await handler(event, lambdaContext())) as Answer
  return { call, handler, store, logger, runs: () => runs }
}

const created = (run: number): Answer => ({
  statusCode: 201,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ paymentId: `p-${run}` }),
})

function problemIn(answer: Answer): unknown {
  const type = answer.headers?.['content-type'] ?? answer.multiValueHeaders?.['content-type']?.[0]
  expect(type).toBe('application/problem+json')
  return JSON.parse(answer.body ?? '')
}

function headerOf(answer: Answer, name: string): string | undefined {
  return answer.headers?.[name] ?? answer.multiValueHeaders?.[name]?.[0]
}

describe.each(APIS)('behind %s', (_, event) => {
  it('a request runs once per Idempotency-Key, and the replay is equal but for its header', async () => {
    const { call, runs } = api(created)
    const first = await call(event({ headers: KEY, body: { amount: 1 } }))
    const replay = await call(event({ headers: KEY, body: { amount: 1 } }))
    expect(first).toEqual(created(1))
    expect(runs()).toBe(1)
    expect(headerOf(first, 'x-idempotency-from')).toBeUndefined()
    expect(headerOf(replay, 'x-idempotency-from')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const { 'x-idempotency-from': _mark, ...headers } = replay.headers ?? {}
    expect({ ...replay, headers }).toEqual(first)
  })

  it('without the header is 400: callers without a key do not share one', async () => {
    const { call, runs } = api(created)
    const answer = await call(event({ body: { amount: 1 } }))
    expect(answer.statusCode).toBe(400)
    expect(problemIn(answer)).toEqual({
      title: 'Bad Request',
      status: 400,
      code: 'IDEMPOTENCY_KEY_MISSING',
      detail: expect.stringContaining('Nothing was done'),
    })
    expect(runs()).toBe(0)
  })

  it('with the key of another request is 422', async () => {
    const { call, runs } = api(created)
    await call(event({ headers: KEY, body: { amount: 1 } }))
    for (const other of [
      event({ headers: KEY, body: { amount: 2 } }),
      event({ headers: KEY, body: { amount: 1 }, path: '/refunds' }),
      event({ headers: KEY, body: { amount: 1 }, method: 'PUT' }),
      event({ headers: KEY, body: { amount: 1 }, query: { currency: 'eur' } }),
    ]) {
      const answer = await call(other)
      expect(answer.statusCode).toBe(422)
      expect(problemIn(answer)).toMatchObject({
        title: 'Unprocessable Content',
        code: 'IDEMPOTENCY_KEY_REUSED',
      })
    }
    expect(runs()).toBe(1)
  })

  it('with the same body in another spelling is the same request', async () => {
    const { call, runs } = api(created)
    await call(event({ headers: KEY, body: '{"a":1,"b":[2]}' }))
    await call(event({ headers: KEY, body: '{ "b": [2], "a": 1 }' }))
    expect(runs()).toBe(1)
  })

  it('is compared by its content, as text, in base64 and parsed by a middleware', async () => {
    const { call, runs } = api(created)
    const text = (body: string): Event => ({ ...event({ headers: KEY }), body })
    const base64 = (body: string): Event => ({
      ...event({ headers: KEY }),
      body: Buffer.from(body).toString('base64'),
      isBase64Encoded: true,
      is_base64_encoded: true,
    })
    const parsed = (body: string): Event => ({
      ...event({ headers: KEY }),
      body: JSON.parse(body) as unknown,
    })
    for (const form of [text, base64, parsed]) {
      const same = ['{"cents":100,"to":[1]}', '{"to":[1.0],"cents":1e2}']
      for (const body of same) expect((await call(form(body))).statusCode).toBe(201)
      for (const body of ['{"cents":999,"to":[1]}', '{}', 'null', '[]', '"a"']) {
        const { statusCode } = await call(form(body))
        expect([form.name, body, statusCode]).toEqual([
          form.name,
          body,
          // A parsed null cannot be told from no body, which is other content as well.
          422,
        ])
      }
    }
    expect(runs()).toBe(1)
  })

  it.each([
    ['a class instance', new AbortController()],
    ['a function', () => 100],
    ['a stream', new ReadableStream()],
    ['a number that a parser has rounded', { id: 9_007_199_254_740_992 }],
    ['more parts than are compared', Array.from({ length: 100_001 }, () => 0)],
  ])('parsed to %s is refused, with what to do', async (_what, body) => {
    const { call, runs, logger } = api(created)
    const circle: unknown[] = [body]
    circle.push(circle)
    for (const one of [body, circle]) {
      const answer = await call({ ...event({ headers: KEY }), body: one })
      expect(problemIn(answer)).toMatchObject({ status: 500, code: 'CONFIG' })
    }
    expect(JSON.stringify(logger.lines.at(-1))).toContain('put idempotency before it')
    expect(runs()).toBe(0)
  })

  it('of bytes is compared byte by byte, and without a body as with an empty one', async () => {
    const { call, runs } = api(created)
    const bytes = (...of: number[]): Event => ({
      ...event({ headers: KEY }),
      body: Buffer.from(of).toString('base64'),
      isBase64Encoded: true,
      is_base64_encoded: true,
    })
    await call(bytes(0xff, 1))
    // As texts both bytes would be the same replacement character.
    expect((await call(bytes(0xfe, 1))).statusCode).toBe(422)
    const empty = api(created)
    for (const body of [null, '', undefined]) {
      expect((await empty.call({ ...event({ headers: KEY }), body })).statusCode).toBe(201)
    }
    expect([runs(), empty.runs()]).toEqual([1, 1])
  })

  it('of a form is compared by its fields, in any order', async () => {
    const { call, runs } = api(created)
    const type = 'application/x-www-form-urlencoded; charset=utf-8'
    const form = (body: string): Event => event({ headers: { ...KEY, 'Content-Type': type }, body })
    await call(form('a=1&b=2&a=%20'))
    expect((await call(form('b=2&a=1&a=+'))).statusCode).toBe(201)
    for (const body of ['b=2&a=+&a=1', 'a=1', 'a=1&b=2', 'a=1&b=2&a=%20&c=']) {
      expect((await call(form(body))).statusCode).toBe(422)
    }
    expect(runs()).toBe(1)
  })

  it('while the first one runs is 409 with Retry-After', async () => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const { call, runs } = api(() => promise, { waitForOther: 0 })
    const first = call(event({ headers: KEY }))
    const second = await call(event({ headers: KEY }))
    expect(second.statusCode).toBe(409)
    expect(problemIn(second)).toMatchObject({ title: 'Conflict', code: 'IDEMPOTENCY_KEY_IN_USE' })
    expect(Number(headerOf(second, 'retry-after'))).toBeGreaterThan(0)
    expect(Number(headerOf(second, 'retry-after'))).toBeLessThanOrEqual(10)
    resolve(created(1))
    await first
    expect(runs()).toBe(1)
  })

  it.each([100, 302, 400, 404, 409, 500, 503])(
    'an answer of %d is not stored',
    notIn(['twice', 'atOnce', 'ten'], 'what is not kept, or not guarded, runs at each call'),
    async (statusCode) => {
      const { call, runs } = api(() => ({ statusCode, body: 'no' }))
      await call(event({ headers: KEY }))
      expect(await call(event({ headers: KEY }))).toEqual({ statusCode, body: 'no' })
      expect(runs()).toBe(2)
    },
  )

  it('an answer is replayed without its cookies', async () => {
    const { call, store } = api(() => ({
      ...created(1),
      headers: { 'Set-Cookie': 'session=1', 'content-type': 'application/json' },
      multiValueHeaders: { 'set-cookie': ['session=2'], vary: ['Origin'] },
      cookies: ['session=3'],
    }))
    expect(JSON.stringify(await call(event({ headers: KEY })))).toContain('session=3')
    const replay = await call(event({ headers: KEY }))
    expect(JSON.stringify(replay)).not.toMatch(/session|cookie/i)
    expect(replay).toMatchObject({ multiValueHeaders: { vary: ['Origin'] } })
    expect(JSON.stringify(store.items())).not.toContain('session')
  })

  it(
    'a store that does not answer is 503, and nothing is run',
    notIn(['twice', 'atOnce', 'ten'], 'its store fails at certain calls'),
    async () => {
      const { call, store, runs } = api(created)
      store.next('create', 'fail')
      const answer = await call(event({ headers: KEY }))
      expect(answer.statusCode).toBe(503)
      expect(headerOf(answer, 'retry-after')).toBe('1')
      expect(JSON.stringify(answer)).not.toContain('injected')
      expect(runs()).toBe(0)
    },
  )
})

describe('the header Idempotency-Key', () => {
  it.each([
    ['Idempotency-Key', 'abc'],
    ['idempotency-key', 'abc'],
    ['IDEMPOTENCY-KEY', '"abc"'],
    ['Idempotency-key', ' abc '],
    ['Idempotency-Key', '"abc"; v=1'],
    ['Idempotency-Key', '"a\\"\\\\bc"'],
  ])('%s: %s is found', (name, value) => {
    const expected = value.includes('\\') ? 'a"\\bc' : 'abc'
    for (const event of [restEvent, httpApiEvent, albEvent]) {
      expect(idempotencyKeyHeader(event({ headers: { [name]: value } }))).toBe(expected)
    }
  })

  it.each(['', '  ', '""'])('%j is none', (value) => {
    expect(
      idempotencyKeyHeader(restEvent({ headers: { 'Idempotency-Key': value } })),
    ).toBeUndefined()
  })

  it("'required' gives a text, and refuses an event without a key", () => {
    const key: string = idempotencyKeyHeader(
      restEvent({ headers: { 'Idempotency-Key': 'abc' } }),
      'required',
    )
    expect(key).toBe('abc')
    for (const event of [restEvent({ headers: {} }), { orderId: 'o-1' }]) {
      expect(() => idempotencyKeyHeader(event, 'required')).toThrow(RejectedError)
    }
  })

  it('quoted and bare are one key, by header, function and expression', async () => {
    for (const key of [
      undefined,
      (event: Event) => idempotencyKeyHeader(event),
      jmespathOf('headers."idempotency-key"'),
      jmespathOf('headers."Idempotency-Key"'),
    ]) {
      const { call, runs } = api(created, key === undefined ? {} : { key })
      const events = [
        restEvent({ headers: { 'Idempotency-Key': 'abc' } }),
        restEvent({ headers: Object.freeze({ 'idempotency-key': '"abc"' }) }),
        restEvent({ headers: { 'IDEMPOTENCY-KEY': 'abc' } }),
      ]
      for (const event of events) expect(await call(event)).toMatchObject({ body: created(1).body })
      expect(runs()).toBe(1)
    }
  })

  it(
    'is not required of a browser’s preflight',
    notIn(['twice', 'atOnce', 'ten'], 'what is not kept, or not guarded, runs at each call'),
    async () => {
      const { call, runs } = api(() => ({ statusCode: 204 }))
      expect(await call(restEvent(PREFLIGHT))).toEqual({ statusCode: 204 })
      expect(await call(httpApiEvent(PREFLIGHT))).toEqual({ statusCode: 204 })
      expect(runs()).toBe(2)
    },
  )

  it('may hold the words that a missing value leaves', async () => {
    for (const key of ['lodash.isnull', 'user/null/1', '"undefined"', 'x[object y', 'NaN']) {
      for (const options of [{}, { key: jmespathOf('headers."idempotency-key"') }]) {
        const { call } = api(created, options)
        const answer = await call(restEvent({ headers: { 'idempotency-key': key } }))
        expect([key, answer.statusCode]).toEqual([key, 201])
      }
    }
    const { call } = api(created, { key: () => `order-${String(undefined)}` })
    expect(await call(restEvent({ body: { note: 'undefined' } }))).toMatchObject({
      statusCode: 400,
    })
  })

  it.each([
    ['a body', { body: { cents: 100 }, headers: PREFLIGHT.headers }],
    ['no origin', { headers: { 'access-control-request-method': 'POST' } }],
    ['no method that it asks about', { headers: { origin: 'https://shop.example' } }],
    ['an empty origin', { headers: { ...PREFLIGHT.headers, origin: '' } }],
  ])('is required of an OPTIONS request with %s, which is no preflight', async (_what, request) => {
    const { call, runs } = api(created)
    for (const event of [restEvent, httpApiEvent, functionUrlEvent]) {
      const options = event({ method: 'OPTIONS', ...request })
      expect(await call(options)).toMatchObject({ statusCode: 400 })
      const { headers } = request
      const keyed = event({
        method: 'OPTIONS',
        ...request,
        headers: { ...headers, 'Idempotency-Key': event.name },
      })
      expect(await call(keyed)).toMatchObject({ statusCode: 201 })
      expect(await call(keyed)).toMatchObject({ statusCode: 201 })
    }
    expect(runs()).toBe(3)
  })
})

describe('a key chosen from the request', () => {
  it('by expression: method, path and body', async () => {
    const rest = api(created, { key: jmespathOf('[httpMethod, path, body]') })
    await rest.call(restEvent({ body: { a: 1 } }))
    await rest.call(restEvent({ body: { a: 1 } }))
    await rest.call(restEvent({ body: { a: 1 }, method: 'PUT' }))
    expect(rest.runs()).toBe(2)
    const http = api(created, { key: jmespathOf('[requestContext.http.method, rawPath, body]') })
    await http.call(httpApiEvent({ body: { a: 1 } }))
    await http.call(httpApiEvent({ body: { a: 1 } }))
    expect(http.runs()).toBe(1)
  })

  it('by an expression that selects nothing is 400, not a key that GET and POST share', async () => {
    const { call, runs } = api(created, { key: jmespathOf('[method, path, body]') })
    expect(await call(restEvent({ body: { a: 1 } }))).toMatchObject({ statusCode: 400 })
    expect(runs()).toBe(0)
  })

  it('from a body that is no JSON is 400', async () => {
    const { call, logger } = api(created, { key: jmespathOf('powertools_json(body).id') })
    expect(await call(restEvent({ body: '{"id":' }))).toMatchObject({ statusCode: 400 })
    expect(logger.lines[0]).toMatchObject({ message: 'not run', why: 'no key' })
  })

  it('that is plain and too long to be stored is 400', async () => {
    const { call } = api(created, { key: () => 'x'.repeat(3_000), hash: 'plain' })
    expect(await call(restEvent())).toMatchObject({ statusCode: 400 })
  })

  it('also holds for a body nested too deep to be compared by content', async () => {
    const { call, runs } = api(created)
    const body = '['.repeat(50_000) + ']'.repeat(50_000)
    expect(await call(restEvent({ headers: KEY, body }))).toMatchObject({ statusCode: 201 })
    expect(await call(restEvent({ headers: KEY, body: `${body} ` }))).toMatchObject({
      statusCode: 422,
    })
    expect(runs()).toBe(1)
  })
})

describe('two callers with one key', () => {
  const callers: readonly (readonly [string, (who: string) => Event])[] = [
    [
      'a JWT of an HTTP API',
      (sub) =>
        httpApiEvent({
          headers: KEY,
          requestContext: { authorizer: { jwt: { claims: { sub } } } },
        }),
    ],
    [
      'Cognito',
      (sub) => restEvent({ headers: KEY, requestContext: { authorizer: { claims: { sub } } } }),
    ],
    [
      'a Lambda authorizer',
      (principalId) => restEvent({ headers: KEY, requestContext: { authorizer: { principalId } } }),
    ],
    ['IAM', (caller) => restEvent({ headers: KEY, requestContext: { identity: { caller } } })],
    [
      'IAM of an HTTP API',
      (callerId) =>
        httpApiEvent({ headers: KEY, requestContext: { authorizer: { iam: { callerId } } } }),
    ],
  ]
  it.each(callers)('are kept apart by %s', async (_, event) => {
    const { call, runs } = api(created, OWN_CALLERS)
    const [one, two] = [await call(event('one')), await call(event('two'))]
    expect([one.body, two.body]).toEqual([created(1).body, created(2).body])
    await call(event('one'))
    expect(runs()).toBe(2)
  })

  it('a retry from another session of the same role is the same caller', async () => {
    const { call, runs } = api(created, OWN_CALLERS)
    for (const caller of ['AROAEXAMPLE:session-1', 'AROAEXAMPLE:session-2']) {
      await call(restEvent({ headers: KEY, requestContext: { identity: { caller } } }))
    }
    expect(runs()).toBe(1)
  })

  it('share it with tenant none', async () => {
    const { call, runs } = api(created, { tenant: 'none' })
    for (const principalId of ['one', 'two']) {
      await call(restEvent({ headers: KEY, requestContext: { authorizer: { principalId } } }))
    }
    expect(runs()).toBe(1)
  })

  it('do not collide, however tenant and key are spelled', async () => {
    const { call, runs } = api(created, { ...OWN_CALLERS, hash: 'plain', payload: 'ignore' })
    for (const [principalId, key] of [
      ['a', 'b/c'],
      ['a/b', 'c'],
      ['a@b', 'c'],
      ['a', '@b/c'],
    ] as const) {
      const requestContext = { authorizer: { principalId } }
      await call(restEvent({ headers: { 'Idempotency-Key': key }, requestContext }))
    }
    expect(runs()).toBe(4)
  })
})

describe('an ALB with multi-value headers', () => {
  it('gets multi-value headers only, since it ignores the others', async () => {
    const { call } = api(created)
    const answer = await call(albEvent({}, 'multi'))
    expect(answer.multiValueHeaders?.['content-type']).toEqual(['application/problem+json'])
    expect(answer).not.toHaveProperty('headers')
  })

  it('finds the replay header among them', async () => {
    const { call } = api(() => ({
      statusCode: 200,
      multiValueHeaders: { vary: ['Origin'] },
      body: '',
    }))
    await call(albEvent({ headers: KEY }, 'multi'))
    const replay = await call(albEvent({ headers: KEY }, 'multi'))
    expect(replay.multiValueHeaders).toEqual({
      vary: ['Origin'],
      'x-idempotency-from': [expect.any(String)],
    })
    expect(replay).not.toHaveProperty('headers')
  })
})

describe('a replay', () => {
  it('has no top-level field that an API does not know', async () => {
    const { call } = api(created)
    await call(restEvent({ headers: KEY }))
    expect(Object.keys(await call(restEvent({ headers: KEY }))).toSorted()).toEqual([
      'body',
      'headers',
      'statusCode',
    ])
  })

  it.each(['text', 7, ['a'], { orderId: 1 }, null])(
    'of the bare value %j of an HTTP API is that value',
    async (value) => {
      const { call, runs } = api(() => value)
      expect(await call(httpApiEvent({ headers: KEY }))).toEqual(value)
      expect(await call(httpApiEvent({ headers: KEY }))).toEqual(value)
      expect(runs()).toBe(1)
    },
  )

  it('of a TerminalError is that error: what handles the first one handles its replay', async () => {
    const { handler } = api(() => {
      throw Object.assign(new TerminalError('declined'), { statusCode: 402 })
    })
    for (let n = 0; n < 2; n++) {
      const call = handler(restEvent({ headers: KEY }), lambdaContext())
      await expect(call).rejects.toMatchObject({ message: 'declined', statusCode: 402 })
    }
  })

  it('of work that waits for an operator is 500, and does not say why', async () => {
    const { call, handler } = api(
      () => {
        throw new Error('secret detail')
      },
      { classify: () => 'parked' },
    )
    await expect(handler(restEvent({ headers: KEY }), lambdaContext())).rejects.toThrow('secret')
    const answer = await call(restEvent({ headers: KEY }))
    expect(problemIn(answer)).toMatchObject({ status: 500, code: 'FAILED' })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  it('is judged by the expression validResponse', async () => {
    const validResponse = jmespathOf('statusCode < `300` && powertools_json(body).ok')
    const { call, runs } = api(
      (run) => ({ statusCode: 200, body: JSON.stringify({ ok: run > 1 }) }),
      { validResponse },
    )
    for (let n = 0; n < 3; n++) await call(restEvent({ headers: KEY }))
    expect(runs()).toBe(2)
  })

  it('of a plain text is not judged by an expression', async () => {
    const { handler, runs } = api(() => 'plain', {
      validResponse: jmespathOf('ok'),
      key: () => 'k',
    })
    for (let n = 0; n < 2; n++) expect(await handler({}, lambdaContext())).toBe('plain')
    expect(runs()).toBe(1)
  })
})

it('twenty parallel calls on one key: one run, twenty equal answers', async () => {
  const { call, runs } = api(async (run) => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return created(run)
  })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call(restEvent({ headers: KEY, body: { amount: 1 } }))),
  )
  expect(runs()).toBe(1)
  expect(new Set(answers.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
  expect(
    answers.filter((answer) => headerOf(answer, 'x-idempotency-from') === undefined),
  ).toHaveLength(1)
})

it('two functions with one table and one key have two answers', async () => {
  const store = memoryStore()
  const options = { store, logger: quietLogger(), tenant: 'none' } as const
  const one = idempotent(options, async (_event: Event, _context: object) => created(1))
  const two = idempotent(options, async (_event: Event, _context: object) => created(2))
  const event = restEvent({ headers: KEY })
  expect((await one(event, { ...lambdaContext(), functionName: 'one' })).body).toBe(created(1).body)
  expect((await two(event, { ...lambdaContext(), functionName: 'two' })).body).toBe(created(2).body)
})
