import { recordHandler } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { calmOnly } from '../proof/hostile/mode.ts'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  hand,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const ID = expect.any(String) as string

/** A message that is acknowledged without a run leaves only its log line. */
const lastLine = ({ lines }: FlowHarness): unknown => lines.at(-1)

function openTrip(options: Parameters<typeof tripOn>[2] = {}) {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, options)
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  const ship = trip.stageHandler('ship', () => {})
  const at = harness.clock.now() - 10_000
  const start = (uniqueRequestId: string, after = 0): Promise<unknown> =>
    trip.start({ key: 'k' }, { uniqueRequestId, sentAt: at + after })
  return { harness, trip, book, ship, start }
}

const LINES = calmOnly('what the log says, line by line')
const OF_TRIP = { consumer: 'trip.book', key: 'k', stage: 'book', messageId: ID }

describe(
  'for each record that a flow drops, a log line names the request, the reason and the other request',
  LINES,
  () => {
    it('a duplicate', async () => {
      const { harness, book, start } = openTrip()
      for (let copy = 0; copy < 2; copy++) {
        await start('r1')
        await deliver(cloud, 'book', book)
      }
      expect(lastLine(harness)).toMatchObject({
        ...OF_TRIP,
        message: 'dropped: a duplicate of a finished request',
        uniquerequestid: 'r1',
      })
    })

    it('a stale one', async () => {
      const { harness, book, start } = openTrip()
      await start('r2', 1)
      await deliver(cloud, 'book', book)
      await start('r1')
      await deliver(cloud, 'book', book)
      const line = { ...OF_TRIP, uniquerequestid: 'r1', because: 'stale', by: 'r2' }
      expect(lastLine(harness)).toMatchObject(line)
    })

    it('a message of a later stage, by the request that it belongs to and not by its own id', async () => {
      const { harness, trip, book, ship, start } = openTrip()
      await start('r1')
      await deliver(cloud, 'book', book)
      await trip.reset('k')
      await start('r2', 1)
      await deliver(cloud, 'book', book)
      const [first] = await receive(cloud, 'ship')
      if (first === undefined) throw new Error('nothing came')
      await hand(cloud, 'ship', [first], ship)
      expect(lastLine(harness)).toMatchObject({
        consumer: 'trip.ship',
        key: 'k',
        stage: 'ship',
        uniquerequestid: 'r1',
        because: 'stale',
        by: 'r2',
      })
    })

    it('one that found another request running (onConflict: drop)', async () => {
      const { harness, book, start } = openTrip({ onConflict: 'drop' })
      await start('r1')
      await deliver(cloud, 'book', book)
      await start('r2', 1)
      await deliver(cloud, 'book', book)
      const line = { ...OF_TRIP, uniquerequestid: 'r2', because: 'dropped', by: 'r1' }
      expect(lastLine(harness)).toMatchObject(line)
    })

    it('one that a newer request replaced while it waited (coalesce), and the request that holds the key', async () => {
      const { harness, book, start } = openTrip({ onConflict: 'coalesce' })
      await start('r1')
      await deliver(cloud, 'book', book)
      await start('r3', 3)
      await deliver(cloud, 'book', book)
      expect(lastLine(harness)).toMatchObject({
        ...OF_TRIP,
        message: 'deferred: another request has the key',
        uniquerequestid: 'r3',
        by: 'r1',
      })
      await start('r2', 2)
      await deliver(cloud, 'book', book)
      const line = { ...OF_TRIP, uniquerequestid: 'r2', because: 'coalesced', by: 'r3' }
      expect(harness.lines).toContainEqual(expect.objectContaining(line))
    })

    it('one that was superseded in the middle of its work', async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { onConflict: 'supersede' })
      const at = harness.clock.now() - 10_000
      const book = trip.stageHandler('book', async ({ n }, ctx) => {
        if (n !== 1) return
        await trip.start({ key: 'k', n: 2 }, { uniqueRequestId: 'r2', sentAt: at + 1 })
        await deliver(cloud, 'book', book)
        await ctx.write('object', { TableName: 'objects', Key: { id: 'k' }, put: { n } })
      })
      await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt: at })
      await deliver(cloud, 'book', book)
      expect(lastLine(harness)).toMatchObject({
        consumer: 'trip.book',
        key: 'k',
        stage: 'book',
        uniquerequestid: 'r1',
        attempt: 1,
        because: 'superseded',
        by: 'r2',
      })
    })

    it('one that was reset', async () => {
      const { harness, trip, book, start } = openTrip({ process: 'every' })
      await start('r1')
      await deliver(cloud, 'book', book)
      await trip.reset('k')
      await start('r1')
      await deliver(cloud, 'book', book)
      expect(lastLine(harness)).toMatchObject({
        ...OF_TRIP,
        uniquerequestid: 'r1',
        because: 'reset',
      })
    })

    it('an answer that comes too late, or twice', async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const book = trip.stageHandler('book', (_booking, ctx) =>
        ctx.awaitStep('quote', 'q1', () => {}, { timeout: '1h' }),
      )
      const quote = trip.answerHandler('quote', (_quote, ctx) => ctx.next('ship', { key: ctx.key }))
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      for (let copy = 0; copy < 2; copy++) {
        await send(cloud, 'quotes', { quoteId: 'q1', price: 1 })
        await deliver(cloud, 'quotes', quote)
      }
      expect(lastLine(harness)).toMatchObject({
        message: expect.stringMatching(/^dropped: /) as string,
        consumer: 'trip.quote',
        uniquerequestid: 'r1',
        key: 'k',
      })
    })
  },
)

describe('what a consumer drops', LINES, () => {
  function orders(harness: FlowHarness, run: () => void, maxAttempts = 6) {
    const { options } = harness
    const retry = { maxAttempts, delay: () => 0 }
    return recordHandler({ name: 'orders', ...options, retry }, run)
  }

  it('a duplicate of a dead-lettered request: with the reason of the death', async () => {
    const harness = flowHarness(cloud)
    const handler = orders(
      harness,
      () => {
        throw new Error('broken')
      },
      1,
    )
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [record], handler)
    expect(lastLine(harness)).toMatchObject({ message: 'dead-lettered', reason: 'exhausted' })
    await hand(cloud, 'book', [record], handler)
    expect(lastLine(harness)).toMatchObject({
      level: 'warn',
      message: 'dropped: a duplicate of a dead-lettered request',
      consumer: 'orders',
      uniquerequestid: record.messageId,
      messageId: record.messageId,
      reason: 'exhausted',
    })
  })

  it('an older copy: with its number', async () => {
    const harness = flowHarness(cloud)
    const handler = orders(harness, () => {
      throw new Error('broken')
    })
    await send(cloud, 'book', { n: 1 })
    await deliver(cloud, 'book', handler)
    const [copy] = await receive(cloud, 'book')
    if (copy === undefined) throw new Error('no copy')
    await hand(cloud, 'book', [copy], handler)
    await sendCopy(cloud, 'book', copy)
    const old = (await receive(cloud, 'book')).filter(
      ({ messageAttributes }) =>
        messageAttributes['lineclear']?.stringValue ===
        copy.messageAttributes['lineclear']?.stringValue,
    )
    await hand(cloud, 'book', old, handler)
    expect(lastLine(harness)).toMatchObject({
      message: 'dropped: a newer copy is on the queue',
      consumer: 'orders',
      resendNumber: 1,
    })
  })

  it('a request whose attempts all crashed is logged at the level of one that failed', async () => {
    const harness = flowHarness(cloud)
    const handler = orders(harness, () => new Promise(() => {}) as never, 1)
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    // On a busy machine its function reaches its end first: the attempt is lost in either way.
    await hand(cloud, 'book', [record], handler, 2_000).catch(() => {})
    harness.clock.advance(60_000)
    await hand(cloud, 'book', [record], handler)
    expect(harness.lines.slice(-2)).toMatchObject([
      { level: 'error', reason: 'exhausted', uniquerequestid: record.messageId },
      { message: 'dead-lettered', reason: 'exhausted' },
    ])
  })
})
