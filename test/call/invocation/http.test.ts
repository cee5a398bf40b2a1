import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { type InvocationContext, invocationHandler, type InvocationHandlerOptions } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { functionUrlEvent, httpApiEvent, type HttpRequest, restEvent } from '../httpEvents.ts'
import { request } from './setUp.ts'

const KEY = { 'Idempotency-Key': '"k-1"' }
const IAM = { authorizer: { iam: { callerId: 'AROAEXAMPLE:session' } } }
const BODY = { cents: 5 }

const KINDS = [
  [
    'REST API',
    (of: HttpRequest) =>
      restEvent({ requestContext: { authorizer: { principalId: 'u-1' } }, ...of }),
  ],
  ['HTTP API', (of: HttpRequest) => httpApiEvent({ requestContext: IAM, ...of })],
  ['function URL', (of: HttpRequest) => functionUrlEvent({ requestContext: IAM, ...of })],
] as const

type Work = (run: number, ctx: InvocationContext) => unknown

function api(work: Work, more: Partial<InvocationHandlerOptions<object, unknown>> = {}) {
  const { store, clients, clock } = memoryCloud()
  const runs: object[] = []
  const handler = invocationHandler(
    { name: 'pay', store, clients, clock, logger: quietLogger(), waitForOther: 0, ...more },
    async (event: object, ctx) => {
      runs.push(event)
      await ctx.write('book', { TableName: 'sums', Key: { id: 'a' }, add: { count: 1 } })
      return work(runs.length, ctx)
    },
  )
  const call = async (event: object, id = crypto.randomUUID()) =>
    (await handler(event, request(id))) as APIGatewayProxyStructuredResultV2
  const booked = async () =>
    (await store.readUser({ TableName: 'sums', Key: { id: 'a' } }))?.['count']
  return { call, booked, runs: () => runs.length }
}

const created: Work = (run) => ({ statusCode: 201, body: `receipt ${run}` })

describe.each(KINDS)('an HTTP request with ctx, of a %s', (_kind, event) => {
  it('runs once for each key and caller, and is replayed with the time of the first run', async () => {
    const { call, booked, runs } = api(created)
    expect(await call(event({ headers: KEY, body: BODY }))).toEqual({
      statusCode: 201,
      body: 'receipt 1',
    })
    expect(await call(event({ headers: KEY, body: BODY }))).toEqual({
      statusCode: 201,
      body: 'receipt 1',
      headers: { 'x-idempotency-from': expect.stringMatching(/^\d{4}-/) },
    })
    expect([runs(), await booked()]).toEqual([1, 1])
    await call(event({ headers: { 'Idempotency-Key': 'k-2' }, body: BODY }))
    expect([runs(), await booked()]).toEqual([2, 2])
  })

  it.each([
    ['without a key', {}, 400, 'IDEMPOTENCY_KEY_MISSING'],
    ['with another body', { headers: KEY, body: { cents: 6 } }, 422, 'IDEMPOTENCY_KEY_REUSED'],
    ['without a caller', { headers: KEY, requestContext: {} }, 500, 'CONFIG'],
    ['that asks beforehand, as browsers do', { method: 'OPTIONS' }, 400, 'IDEMPOTENCY_KEY_MISSING'],
  ])('%s it is answered with problem details, and not run', async (_what, of, status, code) => {
    const { call, runs } = api(created)
    await call(event({ headers: KEY, body: BODY }))
    const answer = await call(event({ body: BODY, ...of }))
    expect(answer).toMatchObject({
      statusCode: status,
      headers: { 'content-type': 'application/problem+json' },
    })
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ status, code })
    expect(runs()).toBe(1)
  })

  it('keeps its effects when its answer is no success, and runs again', async () => {
    const { call, booked, runs } = api((run) => ({ statusCode: run === 1 ? 402 : 201 }))
    const again = async () => (await call(event({ headers: KEY, body: BODY }))).statusCode
    expect([await again(), await again(), await again()]).toEqual([402, 201, 201])
    expect([runs(), await booked()]).toEqual([2, 1])
  })
})

describe('an HTTP request with ctx', () => {
  it('is told apart by what tenant reads', async () => {
    const tenant = (event: object): string =>
      (event as { headers: Record<string, string> }).headers['x-user'] ?? ''
    const { call, runs } = api(created, { tenant })
    const of = (user: string) => httpApiEvent({ headers: { ...KEY, 'x-user': user }, body: BODY })
    await call(of('u-1'))
    await call(of('u-2'))
    await call(of('u-1'))
    expect(runs()).toBe(2)
    expect(await call(httpApiEvent({ headers: KEY, body: BODY }))).toMatchObject({
      statusCode: 400,
    })
  })

  it('is answered with 409 while another one with its key runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { call, runs } = api(async () => {
      await promise
      return { statusCode: 204 }
    })
    const event = httpApiEvent({ headers: KEY, requestContext: IAM, body: BODY })
    const first = call(event)
    expect(await call(event)).toMatchObject({
      statusCode: 409,
      headers: { 'retry-after': expect.any(String) },
    })
    resolve()
    expect(await first).toEqual({ statusCode: 204 })
    expect(runs()).toBe(1)
  })

  it('is answered with 400 without the time that sentAt reads', async () => {
    const { call, runs } = api(created, { sentAt: () => 'soon' })
    expect(
      await call(httpApiEvent({ headers: KEY, requestContext: IAM, body: BODY })),
    ).toMatchObject({ statusCode: 400 })
    expect(runs()).toBe(0)
  })

  it('throws what its handler throws, keeps its effects, and goes on from there', async () => {
    const { call, booked } = api((run) => {
      if (run === 1) throw new Error('the provider is down')
      return { statusCode: 201 }
    })
    const event = httpApiEvent({ headers: KEY, requestContext: IAM, body: BODY })
    await expect(call(event)).rejects.toThrow('the provider is down')
    expect(await call(event)).toEqual({ statusCode: 201 })
    expect(await booked()).toBe(1)
  })
})
