import { callEffects, idempotentFetch, type FetchOptions } from 'lineclear'
import { memoryCloud, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'

const URL_ = 'https://api.example.com/payments?currency=eur'

function payment(more: RequestInit = {}, key: string | undefined = 'k-1'): Request {
  const headers = { ...(key !== undefined && { 'idempotency-key': key }), 'x-user-id': 'u-1' }
  return new Request(URL_, { method: 'POST', body: '{"cents":5}', headers, ...more })
}

function open(respond: (run: number) => Response, more: Partial<FetchOptions> = {}) {
  const store = memoryStore()
  const bodies: string[] = []
  const fetch = idempotentFetch(
    {
      store,
      logger: quietLogger(),
      scope: 'payments',
      tenant: (request) => request.headers.get('x-user-id'),
      ...more,
    },
    async (request) => {
      bodies.push(await request.text())
      return respond(bodies.length)
    },
  )
  return { fetch, bodies }
}

function readBefore(response: Response): Response {
  void response.text()
  return response
}

const created = (run: number): Response => Response.json({ run }, { status: 201 })

describe('idempotentFetch', () => {
  it('runs once per key, and gives every later caller the first answer', async () => {
    const { fetch, bodies } = open(created)
    const answers = await Promise.all([fetch(payment()), fetch(payment()), fetch(payment())])
    for (const answer of answers) {
      expect(answer.status).toBe(201)
      expect(answer.headers.get('content-type')).toBe('application/json')
      expect(await answer.json()).toEqual({ run: 1 })
    }
    expect(bodies).toEqual(['{"cents":5}'])
    expect(answers.filter(({ headers }) => headers.has('x-idempotency-from'))).toHaveLength(2)
  })

  it.each([
    ['another key', payment({}, 'k-2')],
    ['another caller', payment({ headers: { 'idempotency-key': 'k-1', 'x-user-id': 'u-2' } })],
  ])('runs again for %s', async (_what, other) => {
    const { fetch, bodies } = open(created)
    await fetch(payment())
    expect(await (await fetch(other)).json()).toEqual({ run: 2 })
    expect(bodies).toHaveLength(2)
  })

  it.each([
    ['without a key', payment({ headers: { 'x-user-id': 'u-1' } }), 400],
    ['with another body', payment({ body: '{"cents":6}' }), 422],
    ['with another method', payment({ method: 'PUT' }), 422],
  ])('refuses a request %s by problem details', async (_what, request, status) => {
    const { fetch, bodies } = open(created)
    await fetch(payment())
    const answer = await fetch(request)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(await answer.json()).toMatchObject({ status })
    expect(bodies).toHaveLength(1)
  })

  it('frees the key of an answer that is no success', async () => {
    const { fetch, bodies } = open((run) => new Response(null, { status: run === 1 ? 503 : 204 }))
    expect((await fetch(payment())).status).toBe(503)
    const second = await fetch(payment())
    expect([second.status, second.body]).toEqual([204, null])
    expect((await fetch(payment())).status).toBe(204)
    expect(bodies).toHaveLength(2)
  })

  it('replays bytes as they are, and cookies to the first caller alone', async () => {
    const bytes = Uint8Array.from([0, 255, 254, 10])
    const { fetch } = open(() => {
      const response = new Response(bytes, { headers: { 'content-type': 'image/png' } })
      response.headers.append('set-cookie', 'a=1')
      response.headers.append('set-cookie', 'b=2')
      return response
    })
    const [first, second] = [await fetch(payment()), await fetch(payment())]
    for (const answer of [first, second]) expect(await answer.bytes()).toEqual(bytes)
    expect(first.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(second.headers.getSetCookie()).toEqual([])
  })

  it('adds no content type to an answer that has none', async () => {
    const { fetch } = open(() => new Response(Buffer.from('plain')))
    for (const answer of [await fetch(payment()), await fetch(payment())]) {
      expect(answer.headers.get('content-type')).toBeNull()
      expect(await answer.text()).toBe('plain')
    }
  })

  it.each([
    ['nothing', () => undefined],
    ['an answer whose body is read', () => readBefore(Response.json({}))],
    ['Response.error()', () => Response.error()],
  ])('does not run again after a handler that returns %s', async (_what, respond) => {
    const { fetch, bodies } = open(respond as () => Response)
    for (const request of [payment(), payment()]) {
      await expect(fetch(request)).rejects.toMatchObject({ code: 'TERMINAL' })
    }
    expect(bodies).toHaveLength(1)
  })

  it('throws what the handler throws, and runs again', async () => {
    const { fetch } = open((run) => {
      if (run === 1) throw new Error('the provider is down')
      return created(run)
    })
    await expect(fetch(payment())).rejects.toThrow('the provider is down')
    expect(await (await fetch(payment())).json()).toEqual({ run: 2 })
  })

  it('takes a key of your own, which may read the body', async () => {
    const { fetch, bodies } = open(created, {
      key: async (request) => ((await request.json()) as { cents: number }).cents,
    })
    await fetch(payment({}, 'a'))
    await fetch(payment({}, 'b'))
    expect(bodies).toEqual(['{"cents":5}'])
  })

  it('gives its handler ctx with the option effects', async () => {
    const { store, sqs } = memoryCloud()
    const options = {
      store,
      logger: quietLogger(),
      scope: 'payments',
      tenant: 'none',
    } as const
    let runs = 0
    const fetch = idempotentFetch(
      { ...options, effects: callEffects({ sqs }) },
      async (_request, ctx) => {
        await ctx.applyOnce('book', { TableName: 'sums', Key: { id: 'a' }, add: { count: 1 } })
        if ((runs += 1) === 1) throw new Error('not now')
        return created(runs)
      },
    )
    await expect(fetch(payment())).rejects.toThrow('not now')
    expect((await fetch(payment())).status).toBe(201)
    expect(await store.readUser({ TableName: 'sums', Key: { id: 'a' } })).toMatchObject({
      count: 1,
    })
  })

  it('says when the body has been read before it', async () => {
    const { fetch, bodies } = open(created)
    const request = payment()
    await request.text()
    await expect(fetch(request)).rejects.toMatchObject({ code: 'CONFIG' })
    expect(bodies).toEqual([])
  })

  it('needs to know who calls', () => {
    const store = memoryStore()
    // @ts-expect-error tenant is required
    const without: FetchOptions = { store, scope: 'payments' }
    expect(() => idempotentFetch(without, () => new Response())).toThrow(
      /^idempotentFetch: tenant: expected a function/,
    )
  })

  it.each(['when', 'payload', 'validResponse', 'onReplay'])(
    'refuses %s, whose function would not be given a Request',
    (name) => {
      const options = {
        store: memoryStore(),
        scope: 'payments',
        tenant: 'none',
        [name]: () => true,
      }
      expect(() => idempotentFetch(options as FetchOptions, () => new Response())).toThrow(
        `idempotentFetch: ${name}: not an option of idempotentFetch`,
      )
    },
  )

  it('needs a handler', () => {
    const options = { store: memoryStore(), scope: 'payments', tenant: 'none' } as const
    expect(() => idempotentFetch(options, undefined as never)).toThrow(
      'idempotentFetch: expected the second argument to be a function',
    )
  })

  it.each([
    ['tenant', { tenant: 'u-1' }],
    ['tenant', { tenant: null }],
    ['scope', { scope: undefined }],
    ['key', { key: 'x-order-id' }],
  ])('refuses a wrong %s at once: %j', (name, wrong) => {
    expect(() => open(created, wrong as object)).toThrow(
      new RegExp(`^idempotentFetch: ${name}: expected a`),
    )
  })
})
