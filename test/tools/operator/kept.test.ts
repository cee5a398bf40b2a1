import type { LocalCloud } from 'lineclear/local'
import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainRequest } from '../../../src/tools/operator/explain/explain.ts'
import type { Item, Store } from '../../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { flowHarness, deliver } from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { operatorHarness, startCloud } from '../cli/operatorHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud.stop())

const SECRET = 'card 4111'

async function harness(kind: 'memory' | 'DynamoDB', sends = 2) {
  const dynamo = await operatorHarness(cloud)
  const { clock, options } = dynamo
  const store: Store = kind === 'memory' ? memoryStore() : dynamo.store
  const made: string[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      clock,
      logger: options.logger,
      clients: { sqs: cloud.sqs },
      id: (payload) => (payload as { id: string }).id,
      retention: '1d',
    },
    async (_payload, ctx) => {
      await ctx.write('reserve', counting('stock'))
      await ctx.call('charge', async () => {
        made.push('charge')
        return SECRET
      })
      for (let nth = 0; nth < sends; nth++) {
        await ctx.send(
          cloud.queueUrl('outside'),
          { text: SECRET },
          nth === 0 ? { name: 'mail' } : {},
        )
      }
    },
  )
  const item = async (): Promise<Item> => {
    const key = { pk: 'lock#orders/o1', sk: 'token' }
    const [read] = await store.read([key], { consistent: true })
    if (read?.kind !== 'found' || read.item === undefined) throw new Error('no token')
    return read.item
  }
  const run = (): ReturnType<typeof handler> => {
    const record = sqsRecord({ id: 'o1' }, { sentAt: clock.now() })
    return handler(sqsEvent(record), lambdaContext())
  }
  return { clock, item, made, run }
}

describe.each(['memory', 'DynamoDB'] as const)('in %s', (kind) => {
  it('a finished request keeps the names of its effects, calls and messages, and nothing of their content', async () => {
    const { clock, item, run } = await harness(kind)
    await run()
    const stored = await item()
    const [{ lines } = { lines: [] }] = explainRequest(
      { pk: 'lock#orders/o1', items: [stored] },
      clock.now(),
    )
    expect(lines).toEqual(
      expect.arrayContaining([
        'effects applied: reserve',
        "call 'charge': done",
        expect.stringMatching(/^sent to mail: [\w-]{43}$/),
        expect.stringMatching(/^sent to outside: [\w-]{43}$/),
      ]),
    )
    expect(JSON.stringify(stored)).not.toContain(SECRET)
  })

  it('after its retention everything is made again: kept names are no marks', async () => {
    const { clock, made, run, item } = await harness(kind)
    await run()
    await run()
    expect(made).toEqual(['charge'])
    const before = (await item())['fence']
    clock.advance(2 * 86_400_000)
    await run()
    expect(made).toEqual(['charge', 'charge'])
    expect((await item())['fence']).toBe(Number(before) + 1)
  })
})

it('of many messages it keeps so many that the token stays within a kilobyte', async () => {
  const { item, run } = await harness('memory', 50)
  await run()
  const { sent } = await item()
  expect(typeof sent === 'string' && JSON.parse(sent)).toHaveLength(6)
  expect(Buffer.byteLength(JSON.stringify(await item()))).toBeLessThan(1_024)
})

it('a flow keeps the names of the last run, and the next run makes its own effects', async () => {
  const flow = flowHarness(cloud)
  const trip = tripOn(cloud, flow)
  const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
    await ctx.write('label', counting('labels'))
  })
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  for (const run of [1, 2]) {
    await trip.start({ key: 'k' }, { uniqueRequestId: `r${run}`, sentAt: flow.clock.now() + run })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(flow.count('labels')).toBe(run)
    const { uniquerequestid, ...record } = flow.record() ?? {}
    expect(uniquerequestid).toBeUndefined()
    const [explained] = explainRequest({ pk: 'flow#trip/k', items: [record] }, flow.clock.now())
    expect(explained?.lines).toContain('its effects and calls: ship:label')
  }
})
