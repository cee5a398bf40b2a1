import { memoryStore } from 'lineclear/testing'
import { describe, expect, it, vi } from 'vitest'
import { idempotentFetch } from '../../examples/payments-api/idempotentFetch.ts'

const URL_ = 'https://api.example.com/payments?currency=eur'

function payment(more: RequestInit = {}, key: string | undefined = 'k-1'): Request {
  const headers = { ...(key !== undefined && { 'idempotency-key': key }), 'x-user-id': 'u-1' }
  return new Request(URL_, { method: 'POST', body: '{"cents":5}', headers, ...more })
}

function open(respond: (run: number) => Response) {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const bodies: string[] = []
  const fetch = idempotentFetch(
    {
      store: memoryStore(),
      name: 'payments',
      tenant: (request) => request.headers.get('x-user-id'),
    },
    async (request) => {
      bodies.push(await request.text())
      return respond(bodies.length)
    },
  )
  return { fetch, bodies }
}

const created = (run: number): Response => Response.json({ run }, { status: 201 })

describe('the example of a web-standard handler', () => {
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

  it('gives cookies to the first caller alone, and adds no content type', async () => {
    const { fetch } = open(() => {
      const response = new Response(Buffer.from('plain'))
      response.headers.append('set-cookie', 'a=1')
      response.headers.append('set-cookie', 'b=2')
      return response
    })
    const [first, second] = [await fetch(payment()), await fetch(payment())]
    for (const answer of [first, second]) {
      expect(await answer.text()).toBe('plain')
      expect(answer.headers.get('content-type')).toBeNull()
    }
    expect(first.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(second.headers.getSetCookie()).toEqual([])
  })

  it.each([
    ['key', { 'x-user-id': 'u-1' }],
    ['caller', { 'idempotency-key': 'k-1' }],
  ])('reads nothing of the body of a request without its %s', async (_what, headers) => {
    const { fetch, bodies } = open(created)
    const request = payment({ headers })
    expect((await fetch(request)).status).toBe(400)
    expect(request.bodyUsed).toBe(false)
    expect(bodies).toEqual([])
  })

  it('throws what the handler throws, and runs again', async () => {
    const { fetch } = open((run) => {
      if (run === 1) throw new Error('the provider is down')
      return created(run)
    })
    await expect(fetch(payment())).rejects.toThrow('the provider is down')
    expect(await (await fetch(payment())).json()).toEqual({ run: 2 })
  })
})
