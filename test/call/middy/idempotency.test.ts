import middyjs from '@middy/core'
import cors from '@middy/http-cors'
import httpErrorHandler from '@middy/http-error-handler'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { idempotent, TerminalError, UnknownOutcomeError } from 'lineclear'
import { jmespathOf } from '../jmespathOf.ts'
import { idempotency } from 'lineclear/middy'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { httpApiEvent, restEvent } from '../httpEvents.ts'
import { type Answer, caught, chain, runningOut } from './chain.ts'

const KEY = { 'Idempotency-Key': 'abc' }
const created: Answer = { statusCode: 201, headers: {}, body: '{"id":1}' }
const silent = { logger: false } as const

describe('a chain', () => {
  it('runs the handler once, and replays without it', async () => {
    const { call, runs, store } = chain(() => ({ n: 1 }))
    expect([await call(), await call()]).toEqual([{ n: 1 }, { n: 1 }])
    expect(runs()).toBe(1)
    expect(store.calls).toEqual(['create', 'update', 'create'])
  })

  it.each([undefined, null, 'text', 0, false, ['a'], { a: [1] }])(
    'replays %j as it is',
    async (value) => {
      const { call, runs } = chain(() => value)
      expect(await call()).toEqual(value)
      expect(await call()).toEqual(value)
      expect(runs()).toBe(1)
    },
  )

  it('answers HTTP requests with problem details', async () => {
    const { call, runs } = chain(() => created, { key: jmespathOf('headers."idempotency-key"') })
    expect(await call(restEvent())).toMatchObject({ statusCode: 400 })
    expect(await call(httpApiEvent())).toMatchObject({ statusCode: 400 })
    expect(runs()).toBe(0)
  })

  it('throws for other events', async () => {
    const { call } = chain(() => 1, { key: () => null })
    await expect(call()).rejects.toMatchObject({ code: 'REJECTED' })
  })

  it('adds the replay header to a replay', async () => {
    const { call } = chain(() => created)
    await call(restEvent())
    expect(await call(restEvent())).toMatchObject({
      headers: { 'x-idempotency-from': expect.any(String) },
    })
  })

  it('has the name of its Lambda as name', async () => {
    const { call, token } = chain(() => 1)
    await call()
    expect(token()?.['pk']).toMatch(/^key#consumer\//)
    expect(token()?.['lockedBy']).toBe('consumer/request-1')
  })

  it('skips what `when` says', async () => {
    const { call, runs, store } = chain(() => 1, { when: () => false })
    await call()
    await call()
    expect([runs(), store.calls]).toEqual([2, []])
  })

  it('fits into middy’s types, and types its options by the event they name', () => {
    middyjs<APIGatewayProxyEvent, Answer>()
      .use(idempotency({ store: memoryStore(), key: (event: APIGatewayProxyEvent) => event.body }))
      .handler(async (event) => ({ statusCode: event.body === null ? 400 : 201 }))
    expect(() => idempotency({ store: memoryStore(), timeoutMargin: 'soon' as '1s' })).toThrow(
      /timeoutMargin/,
    )
    expect(() => idempotency({ store: memoryStore(), keyJmespath: 'a' } as never)).toThrow(
      /idempotency: "keyJmespath" is not known here: write 'key'/,
    )
    expect(() => idempotency(undefined as never)).toThrow(/^idempotency: store/)
  })
})

describe('an error of the handler', () => {
  it('frees the key', async () => {
    const { call, runs } = chain((_, run) => {
      if (run === 1) throw new Error('boom')
      return 'ok'
    })
    await expect(call()).rejects.toThrow('boom')
    expect(await call()).toBe('ok')
    expect(runs()).toBe(2)
  })

  it('that is final is replayed, and passes the error handler as the first one did', async () => {
    const { call, runs } = chain(
      () => {
        throw Object.assign(new TerminalError('declined'), { statusCode: 402, expose: true })
      },
      {},
      { inner: [httpErrorHandler(silent)] },
    )
    const first = await call(restEvent())
    expect(first).toMatchObject({ statusCode: 402, body: 'declined' })
    expect(await call(restEvent())).toEqual(first)
    expect(runs()).toBe(1)
  })

  it('with an unknown outcome keeps the key for an operator', async () => {
    const { call, runs, token } = chain(() => {
      throw new UnknownOutcomeError('?')
    })
    await expect(call()).rejects.toThrow('?')
    await expect(call()).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
    expect([runs(), token()?.['status']]).toEqual([1, 'unknown'])
  })

  it('is classified as thrown, though an error handler has replaced it', async () => {
    const { call, token } = chain(
      () => {
        throw new UnknownOutcomeError('?')
      },
      {},
      { inner: [httpErrorHandler(silent)] },
    )
    expect(await call(restEvent())).toMatchObject({ statusCode: 500 })
    expect(token()).toMatchObject({ status: 'unknown', error: 'UnknownOutcomeError: ?' })
  })

  it('stores nothing, also when an error handler makes a 2xx response of it', async () => {
    const nice = { onError: (request: middyjs.Request) => void (request.response = created) }
    const { call, runs } = chain(
      () => {
        throw new Error('boom')
      },
      {},
      { inner: [nice] },
    )
    expect(await call(restEvent())).toEqual(created)
    expect(await call(restEvent())).toEqual(created)
    expect(runs()).toBe(2)
  })
})

describe('a duplicate that arrives while the first one runs', () => {
  it('does not free the lock of the first one: a third does not run either', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const { call, runs } = chain(() => promise)
    const first = call()
    for (let n = 0; n < 3; n++) await expect(call()).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    resolve('ok')
    expect(await first).toBe('ok')
    expect(await call()).toBe('ok')
    expect(runs()).toBe(1)
  })

  it('is 409 to an HTTP request, whatever error handler there is', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const around = { outer: [httpErrorHandler(silent)], inner: [httpErrorHandler(silent)] }
    const { call } = chain(() => promise, {}, around)
    const first = call(restEvent())
    expect(await call(restEvent())).toMatchObject({
      statusCode: 409,
      headers: { 'retry-after': expect.any(String) },
    })
    resolve(created)
    await first
  })
})

describe('middy’s early timeout', () => {
  const soon = () => runningOut(40)

  it('does not free the key of a handler that still runs', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const { call, runs, isFree, clock } = chain(() => promise)
    expect(await caught(call({}, soon()))).toMatchObject({ name: 'TimeoutError' })
    expect(isFree()).toBe(false)
    await expect(call()).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    expect(runs()).toBe(1)
    clock.advance(6_000)
    resolve('late')
    await call()
    expect(runs()).toBe(2)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('custom')
      },
    ],
    ['answers', () => ({ statusCode: 504 })],
  ])('of one’s own that %s does not either', async (_, timeoutEarlyResponse) => {
    const { call, isFree } = chain(
      () => new Promise(() => {}),
      {},
      { plugin: { timeoutEarlyResponse } },
    )
    await caught(call(restEvent(), soon()))
    expect(isFree()).toBe(false)
  })

  it('of a custom length is set by timeoutMargin', async () => {
    const timeoutEarlyResponse = (): never => {
      throw new Error('custom')
    }
    const plugin = { timeoutEarlyInMillis: 2_960, timeoutEarlyResponse }
    const { call, isFree } = chain(() => new Promise(() => {}), { timeoutMargin: '3s' }, { plugin })
    await caught(call({}, runningOut(3_000)))
    expect(isFree()).toBe(false)
  })

  it('of another length is recognised by middy’s own error', async () => {
    const plugin = { timeoutEarlyInMillis: 2_960 }
    const { call, isFree } = chain(() => new Promise(() => {}), {}, { plugin })
    expect(await caught(call({}, runningOut(3_000)))).toMatchObject({ name: 'TimeoutError' })
    expect(isFree()).toBe(false)
  })

  it('does not keep an earlier error from freeing the key', async () => {
    const { call, isFree } = chain(() => {
      throw new Error('boom')
    })
    await caught(call({}, lambdaContext(3_000)))
    expect(isFree()).toBe(true)
  })

  it('does not either in a short invocation', async () => {
    const { call, isFree } = chain(() => {
      throw new Error('boom')
    })
    await caught(call({}, runningOut(900)))
    expect(isFree()).toBe(true)
  })

  it('leaves a final error final, however late', async () => {
    const { call, token } = chain(() => {
      throw new TerminalError('declined')
    })
    await caught(call({}, lambdaContext(10)))
    expect(token()).not.toHaveProperty('status')
  })
})

describe('no context', () => {
  it.each([undefined, {}])('%j is safe', async (context) => {
    const { call, runs, token } = chain(() => 'ok', { name: 's' })
    expect(await call({}, context as never)).toBe('ok')
    expect(await call({}, context as never)).toBe('ok')
    expect(runs()).toBe(1)
    expect(token()).toHaveProperty('ttl')
  })
})

describe('concurrent requests in one process', () => {
  it('share no state', async () => {
    const { call, runs } = chain(
      async (event) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
        return event
      },
      { key: (event) => (event as { id: string }).id },
    )
    const events = Array.from({ length: 40 }, (_, n) => ({ id: `k${n}` }))
    expect(await Promise.all(events.map((event) => call(event)))).toEqual(events)
    expect(await Promise.all(events.map((event) => call(event)))).toEqual(events)
    expect(runs()).toBe(40)
  })
})

describe('a chain with httpErrorHandler and cors', () => {
  it('.use(idempotency).use(httpErrorHandler).use(cors): replays carry the headers of cors', async () => {
    const { call, runs } = chain(
      () => created,
      { key: jmespathOf('headers."Idempotency-Key"') },
      { inner: [httpErrorHandler(silent), cors({ origins: ['https://shop.example'] })] },
    )
    const event = restEvent({ headers: { ...KEY, Origin: 'https://shop.example' } })
    const first = (await call(event)) as Answer
    const replay = (await call(event)) as Answer
    expect(first.headers).toMatchObject({ 'Access-Control-Allow-Origin': 'https://shop.example' })
    const { 'x-idempotency-from': _mark, ...headers } = replay.headers ?? {}
    expect({ ...replay, headers }).toEqual(first)
    expect(runs()).toBe(1)
  })

  it('answers a preflight without asking for a key', async () => {
    const { call, store } = chain(
      () => created,
      { key: jmespathOf('headers."Idempotency-Key"') },
      { inner: [cors({ disableBeforePreflightResponse: false })] },
    )
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    expect(await call(restEvent({ method: 'OPTIONS', headers }))).toMatchObject({ statusCode: 204 })
    expect(store.calls).toEqual([])
  })

  it('middy(idempotent(handler)) sends replays and problems through all middlewares', async () => {
    const store = memoryStore()
    let runs = 0
    const handler = middyjs(
      idempotent(
        { name: 'default', tenant: 'none', store, logger: quietLogger() },
        async (_event: APIGatewayProxyEvent, _context: object) => {
          runs += 1
          return created
        },
      ),
    ).use(cors({ origins: ['https://shop.example'] }))
    const headers = { ...KEY, Origin: 'https://shop.example' }
    const answers = [
      await handler(restEvent({ headers }), lambdaContext()),
      await handler(restEvent({ headers }), lambdaContext()),
      await handler(restEvent({ headers: { Origin: 'https://shop.example' } }), lambdaContext()),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 400])
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({
        'Access-Control-Allow-Origin': 'https://shop.example',
      })
    }
    expect(runs).toBe(1)
  })
})
