import { TerminalError } from 'lineclear'
import type { RecordContext, RecordHandlerOptions } from 'lineclear'
import { expect, it } from 'vitest'
import { consumerOf } from './consumerOf.ts'

const HOUR = 3_600_000

/** An attempt that outlives its lease: another one takes its message and ends it, and only then it fails. */
async function overtaken(
  fails: (ctx: RecordContext) => unknown,
  options: Partial<RecordHandlerOptions> = {},
) {
  let isFirst = true
  const consumer = consumerOf(async (_payload, ctx) => {
    if (!isFirst) return
    isFirst = false
    consumer.clock.advance(HOUR)
    await consumer.deliver(message)
    await fails(ctx)
  }, options)
  const message = consumer.send('{}')
  const stays = await consumer.deliver(message)
  const [other, own] = consumer.settled
  return { ...consumer, stays, other, own }
}

const again = (): never => {
  throw new Error('again')
}

it('an attempt that was overtaken sends no dead letter: the other one may succeed', async () => {
  const { dead, other, stays } = await overtaken(() => {
    throw new TerminalError('never')
  })
  expect([dead.messages, other, stays]).toEqual([[], { kind: 'completed' }, true])
})

it('an attempt that was overtaken sends no copy, and keeps its message on the queue', async () => {
  const { queue, other, stays } = await overtaken(again)
  expect([queue.messages, other, stays]).toEqual([[], { kind: 'completed' }, true])
})

it('an attempt that was overtaken settles as failed, not as retried', async () => {
  const { own } = await overtaken(again, { retry: { transport: 'visibility' } })
  expect(own).toMatchObject({ kind: 'failed' })
})

it('an attempt whose write shows that it was overtaken fails with SUPERSEDED', async () => {
  const { own } = await overtaken((ctx) =>
    ctx.write('order', { TableName: 'orders', Key: { id: 'o' }, put: {} }),
  )
  expect(own).toMatchObject({ kind: 'failed', error: { code: 'SUPERSEDED' } })
})
