import { defineFlow, invocationHandler, type RecordContext, recordHandler } from 'lineclear'
import { memoryCloud, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from '../deliver/lambdaContext.ts'

type Ctx = Pick<RecordContext, 'call' | 'write'>

/** Three large results, each within the limit, and then effects with long names. */
async function fill(ctx: Ctx, made: string[]): Promise<void> {
  for (const call of ['a', 'b', 'c']) await ctx.call(call, () => 'x'.repeat(95_000))
  for (let n = 0; n < 3_000; n += 1) {
    const name = `${n}`.padStart(250, '€')
    await ctx.write(name, { TableName: 'counts', Key: { id: 'all' }, add: { n: 1 } })
    made.push(name)
  }
}

function shop() {
  const cloud = memoryCloud({ queues: { work: {}, dead: {} }, tables: { counts: { hash: 'id' } } })
  const { store, clients, clock, logger } = cloud
  const queues = { queueUrl: cloud.queueUrl('work'), deadLetterQueueUrl: cloud.queueUrl('dead') }
  return { cloud, options: { store, clients, clock, logger }, queues }
}

describe('a request whose item would become full', () => {
  it('is dead-lettered before the effect that has no room, with the size, and nothing is applied unmarked', async () => {
    const { cloud, options, queues } = shop()
    const made: string[] = []
    const handler = recordHandler({ ...options, ...queues, name: 'orders' }, (_, ctx) =>
      fill(ctx, made),
    )
    const answer = await handler({ Records: [sqsRecord(1)] }, lambdaContext())
    expect(answer).toEqual({ batchItemFailures: [] })
    const [dead] = cloud.messages('dead')
    expect(dead?.carried).toMatchObject({ reason: 'terminal' })
    expect(dead?.carried.error).toMatch(/TerminalError.*400 KB/)
    expect(made.length).toBeGreaterThan(20)
    expect(cloud.store.userItems('counts')).toEqual([{ id: 'all', n: made.length }])
    const [token] = cloud.store.items()
    expect(token).toMatchObject({ status: 'error' })
  })

  it('of a flow, too', async () => {
    const { cloud, options, queues } = shop()
    const made: string[] = []
    const flow = defineFlow({
      ...options,
      name: 'trip',
      key: () => 'k',
      stages: { book: { schema: z.unknown(), ...queues } },
    })
    const book = flow.stageHandler('book', (_, ctx) => fill(ctx, made))
    const answer = await book({ Records: [sqsRecord(1)] }, lambdaContext())
    expect(answer).toEqual({ batchItemFailures: [] })
    const [dead] = cloud.messages('dead')
    expect(dead?.carried.error).toMatch(/TerminalError.*400 KB/)
    expect(cloud.store.userItems('counts')).toEqual([{ id: 'all', n: made.length }])
  })

  it('of a flow, too, when its calls run side by side', async () => {
    const { cloud, options, queues } = shop()
    const flow = defineFlow({
      ...options,
      name: 'trip',
      key: () => 'k',
      stages: { book: { schema: z.unknown(), ...queues } },
    })
    const book = flow.stageHandler('book', async (_, ctx) => {
      const names = Array.from({ length: 520 }, (_none, n) => `${n}`.padStart(250, '€'))
      await Promise.all(names.map((name) => ctx.call(name, () => 1, { ifUnknown: 'stop' })))
    })
    await book({ Records: [sqsRecord(1)] }, lambdaContext())
    const [dead] = cloud.messages('dead')
    expect(dead?.carried.error).toMatch(/TerminalError.*400 KB/)
  })

  it('of a call, too: the caller gets the error, and the key ends', async () => {
    const { cloud, options } = shop()
    const made: string[] = []
    const handler = invocationHandler(
      { ...options, name: 'pay', key: () => 'k' },
      (_: unknown, ctx) => fill(ctx, made),
    )
    await expect(handler({ id: 1 }, lambdaContext())).rejects.toThrow(/was not begun/)
    expect(cloud.store.userItems('counts')).toEqual([{ id: 'all', n: made.length }])
    const [token] = cloud.store.items()
    expect(token?.['leaseUntil'] ?? 0).toBe(0)
  })

  it.each([
    ['four results', 4, 95_000, ''],
    ['a thousand long names', 1_000, 10, '€'],
  ])('is not filled by calls side by side: %s', async (_what, calls, each, pad) => {
    const { cloud, options, queues } = shop()
    const ends: PromiseSettledResult<unknown>[] = []
    let bytes = 0
    const handler = recordHandler({ ...options, ...queues, name: 'orders' }, async (_, ctx) => {
      const names = Array.from({ length: calls }, (_none, n) => `${n}`.padStart(250, pad))
      const call = async (): Promise<string> => 'x'.repeat(each)
      const all = names.map((name) => ctx.call(name, call))
      ends.push(...(await Promise.allSettled(all)))
      bytes = Buffer.byteLength(JSON.stringify(cloud.store.items()))
    })
    await handler({ Records: [sqsRecord(1)] }, lambdaContext())
    expect(bytes).toBeGreaterThan(200_000)
    expect(bytes).toBeLessThan(345_000)
    const failed = ends.filter(({ status }) => status === 'rejected')
    expect(failed.length > 0).toBe(calls > 4)
  })
})
