import { invocationHandler, recordHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { memoryObjects, memoryStore, sqsEvent } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itemKey } from '../../../../src/library/entries/sweeper/address.ts'
import type { CallFacts } from '../../../../src/tools/operator/explain/factParts.ts'
import { explainRequest } from '../../../../src/tools/operator/explain/explain.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../../../deliver/lambdaContext.ts'
import { quietLogger } from '../../../deliver/quietLogger.ts'
import { deliver, flowHarness, testTime } from '../../../flow/flowHarness.ts'
import { tripOn } from '../../../flow/trip.ts'
import { startCloud } from '../../cli/operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const SECRET = 'card 4111'
const KNOWN = {
  name: 'charge',
  state: 'done',
  result: 'stored',
  resultBytes: JSON.stringify(SECRET).length,
}

/** The calls of all items, as they are explained while their handler runs. */
function callsIn(items: readonly Item[], now: number) {
  const pk = itemKey(items[0] ?? {}).pk
  const parts = explainRequest({ pk, items }, now)
  expect(JSON.stringify(parts)).not.toContain(SECRET)
  return parts.flatMap(({ facts }): readonly CallFacts[] => {
    if (facts.kind === 'flow') return (facts.run?.stages ?? []).flatMap(({ calls }) => calls)
    return 'calls' in facts ? facts.calls : []
  })
}

describe('a call has the idempotency key that the outside system was sent, and the size of its result', () => {
  it('of a request', async () => {
    const [store, clock] = [memoryStore(), testTime()]
    const keys: string[] = []
    const handler = recordHandler(
      { name: 'orders', store, clock, logger: quietLogger(), id: () => 'r1' },
      async (_payload, ctx) => {
        await ctx.call('charge', ({ idempotencyKey }) => {
          keys.push(idempotencyKey)
          return Promise.resolve(SECRET)
        })
        expect(callsIn(store.items(), clock.now())).toEqual([{ ...KNOWN, key: keys[0] }])
        await ctx
          .call('mail', () => Promise.reject(new Error('cut')), { ifUnknown: 'stop' })
          .catch(() => {})
        expect(callsIn(store.items(), clock.now())[1]).toMatchObject({
          name: 'mail',
          state: 'unknown',
          result: 'none',
        })
        keys.push('seen')
      },
    )
    await handler(sqsEvent({ n: 1 }), lambdaContext())
    expect(keys).toHaveLength(2)
  })

  it.for([
    ['too large, and no result store', undefined, { result: 'lost', resultBytes: undefined }],
    ['in the result store', 'put', { result: 'apart', resultBytes: undefined }],
  ] as const)('of a result that is %s', async ([, put, known]) => {
    const [store, clock] = [memoryStore(), testTime()]
    const offload = put && memoryObjects()
    let seen: readonly CallFacts[] = []
    const handler = recordHandler(
      {
        name: 'orders',
        store,
        clock,
        logger: quietLogger(),
        id: () => 'r1',
        ...(offload && { offload }),
      },
      async (_payload, ctx) => {
        await ctx.call('charge', () => Promise.resolve('x'.repeat(400_000)))
        seen = callsIn(store.items(), clock.now())
      },
    )
    await handler(sqsEvent({ n: 1 }), lambdaContext())
    expect(seen).toMatchObject([{ name: 'charge', state: 'done', ...known }])
  })

  it('of a key', async () => {
    const [store, clock] = [memoryStore(), testTime()]
    const keys: string[] = []
    const options = { name: 'settle', store, clock, logger: quietLogger(), key: () => 'night' }
    const handler = invocationHandler(options, async (_event: object, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => {
        keys.push(idempotencyKey)
        return Promise.resolve(SECRET)
      })
      expect(callsIn(store.items(), clock.now())).toEqual([{ ...KNOWN, key: keys[0] }])
      keys.push('seen')
    })
    await handler({}, lambdaContext())
    expect(keys).toHaveLength(2)
  })

  it('of a stage, whose results have items of their own', async () => {
    const flow = flowHarness(cloud)
    const trip = tripOn(cloud, flow)
    const keys: string[] = []
    const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
      await ctx.call('charge', ({ idempotencyKey }) => {
        keys.push(idempotencyKey)
        return Promise.resolve(SECRET)
      })
      const items = flow.store.items().filter(({ pk }) => pk === 'flow#trip/k')
      expect(callsIn(items, flow.clock.now())).toEqual([{ ...KNOWN, key: keys[0] }])
      keys.push('seen')
    })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1', sentAt: flow.clock.now() })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(keys).toHaveLength(2)
  })
})
