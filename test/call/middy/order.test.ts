import type { MiddlewareObj } from '@middy/core'
import { describe, expect, it } from 'vitest'
import { restEvent } from '../httpEvents.ts'
import { type Answer, caught, chain } from './chain.ts'

const ok: Answer = { statusCode: 200, headers: {}, body: 'done' }
const boom = (): never => {
  throw new Error('boom')
}

/** With another middleware outside and inside: ours works at any position. */
describe.each(['outer', 'inner'] as const)('with another middleware on the %s side', (side) => {
  const beside = (middleware: MiddlewareObj) => ({ [side]: [middleware] })

  it('that answers an error first: the key is free again', async () => {
    const { call, runs, isFree } = chain(
      boom,
      {},
      beside({ onError: () => ({ statusCode: 500, body: 'nice' }) }),
    )
    expect(await call(restEvent())).toEqual({ statusCode: 500, body: 'nice' })
    expect(isFree()).toBe(true)
    expect(await call(restEvent())).toEqual({ statusCode: 500, body: 'nice' })
    expect(runs()).toBe(2)
  })

  it('that answers after the handler: the work counts as done', async () => {
    const { call, runs, token } = chain(
      () => ok,
      {},
      beside({ after: () => ({ ...ok, body: 'replaced' }) }),
    )
    expect(await call(restEvent())).toMatchObject({ body: 'replaced' })
    expect(token()).not.toHaveProperty('status')
    expect(await call(restEvent())).toMatchObject({ statusCode: 200 })
    expect(runs()).toBe(1)
  })

  it('that answers before the handler: nothing is held, nothing is stored', async () => {
    let stop = true
    const { call, runs, store } = chain(
      () => ok,
      {},
      beside({ before: () => (stop ? { statusCode: 200, body: 'early' } : undefined) }),
    )
    expect(await call(restEvent())).toEqual({ statusCode: 200, body: 'early' })
    stop = false
    expect(await call(restEvent())).toEqual(ok)
    expect(runs()).toBe(1)
    expect(store.items().length).toBe(1)
  })

  it('that throws before the handler: the key is free', async () => {
    let stop = true
    const { call, runs } = chain(
      () => ok,
      {},
      beside({
        before: () => {
          if (stop) throw new Error('not allowed')
        },
      }),
    )
    await expect(call(restEvent())).rejects.toThrow('not allowed')
    stop = false
    expect(await call(restEvent())).toEqual(ok)
    expect(runs()).toBe(1)
  })

  it('that throws after the handler: what was done is not done again', async () => {
    const { call, runs } = chain(
      () => ok,
      {},
      beside({
        after: () => {
          throw new Error('response is not valid')
        },
      }),
    )
    await expect(call(restEvent())).rejects.toThrow('response is not valid')
    await caught(call(restEvent()))
    expect(runs()).toBe(1)
  })

  it('that throws while an error is handled: the key is freed all the same', async () => {
    const { call, isFree } = chain(
      boom,
      {},
      beside({
        onError: () => {
          throw new Error('worse')
        },
      }),
    )
    await expect(call(restEvent())).rejects.toThrow('worse')
    await expect.poll(isFree).toBe(true)
  })

  it('that changes the response in place: the changed response is stored', async () => {
    const { call } = chain(
      () => ({ ...ok }),
      {},
      beside({
        after: (request: { response: Answer }) => {
          Object.assign(request.response, { headers: { 'x-added': '1' } })
        },
      }),
    )
    expect(await call(restEvent())).toMatchObject({ headers: { 'x-added': '1' } })
  })
})

it('first in the chain, it stores the answer as the other middlewares have shaped it', async () => {
  const add: MiddlewareObj = {
    after: (request: { response: Answer }) => {
      request.response = { ...request.response, body: `${request.response.body}!` }
    },
  }
  const { call } = chain(() => ok, {}, { inner: [add, add] })
  expect(await call(restEvent())).toMatchObject({ body: 'done!!' })
  expect(await call(restEvent())).toMatchObject({ body: 'done!!' })
})

it('waits for the end of the key to be stored before it lets a cut chain answer', async () => {
  const { call, store, token } = chain(() => ok, {}, { inner: [{ after: () => ok }] })
  const update = store.update.bind(store)
  Object.assign(store, {
    update: async (...args: Parameters<typeof update>) => {
      await new Promise((resolve) => setTimeout(resolve, 30))
      return update(...args)
    },
  })
  await call(restEvent())
  expect(token()).not.toHaveProperty('status')
})
