import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectLastDelivery } from '../proof/hostile/expectDeliveries.ts'
import { expectHanded } from '../proof/hostile/expectHanded.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, receive, sendCopy, startFlowCloud } from './flowHarness.ts'
import { sqsWith } from './outages.ts'
import { counting, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOUR = 3_600_000

/** A flow that ships two hours after it was booked; what SQS would keep back for 15 minutes is on the queue at once. */
async function booked() {
  const harness = flowHarness(cloud)
  let packed: string | undefined
  const sqs = sqsWith(cloud, ({ QueueUrl, Entries }) => {
    if (QueueUrl === cloud.queueUrl('ship'))
      packed = Entries?.[0]?.MessageAttributes?.['lineclear']?.StringValue
  })
  const options = { ...harness.options, clients: { sqs } }
  const trip = tripOn(cloud, { ...harness, options }, { onConflict: 'supersede' })
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.next('ship', { key: ctx.key }, { delay: '2h' }),
  )
  const ship = trip.stageHandler('ship', (_shipping, ctx) =>
    ctx.write('parcel', counting('parcels')),
  )
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  const [delayed] = cloud.inspectQueue('ship').delayed
  await sendCopy(cloud, 'ship', {
    body: delayed?.body ?? '',
    messageAttributes: { lineclear: { dataType: 'String', stringValue: packed } },
  })
  return { harness, trip, book, ship, delayed }
}

describe('a delay of two hours', () => {
  it('is kept: 15 minutes by SQS, the rest hidden', async () => {
    const { harness, ship, delayed } = await booked()
    expect(delayed?.body).toBe('{"key":"k"}')
    expectHanded(await deliver(cloud, 'ship', ship), { came: 1, kept: 1 })
    expectLastDelivery(harness.settled, { kind: 'deferred', until: expect.any(Number) })
    // Clocks may differ by two hours: see the hostile modes.
    harness.clock.advance(4 * HOUR + 1)
    await deliver(cloud, 'ship', ship)
    expect(harness.count('parcels')).toBe(1)
  })

  it.each(['reset', 'superseded'] as const)('ends when its run is %s', async (how) => {
    const { harness, trip, book, ship } = await booked()
    if (how === 'reset') await trip.reset('k')
    else {
      harness.clock.advance(1_000)
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r2', sentAt: harness.clock.now() })
      await deliver(cloud, 'book', book)
    }
    expectHanded(await deliver(cloud, 'ship', ship), { came: 1, kept: 0 })
    expectLastDelivery(harness.settled, { kind: 'stale' })
    harness.clock.advance(2 * HOUR + 1)
    expect(harness.count('parcels')).toBe(0)
  })
})

const TO_THE_HOUR = notIn(['clocks'], 'it asks for the hour, and clocks differ by more')

it(
  'a stage that a deploy has removed holds its key no longer than giveUpAfter',
  TO_THE_HOUR,
  async () => {
    const harness = flowHarness(cloud)
    const before = tripOn(cloud, harness, { giveUpAfter: '3h' })
    const book = before.stageHandler('book', (_booking, ctx) =>
      ctx.next('pay', { key: ctx.key, price: 1 }),
    )
    await before.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const [orphan] = await receive(cloud, 'pay')
    if (orphan === undefined) throw new Error('nothing came')

    const ran: string[] = []
    const after = tripOn(cloud, harness, { giveUpAfter: '3h' })
    const bookAgain = after.stageHandler('book', (_booking, ctx) => {
      ran.push(ctx.uniqueRequestId)
    })
    await after.start({ key: 'k' }, { uniqueRequestId: 'r2', sentAt: harness.clock.now() + 1 })
    expectHanded(await deliver(cloud, 'book', bookAgain), { came: 1, kept: 1 })
    await emptyAll(cloud)
    harness.clock.advance(6 * HOUR)
    await after.start({ key: 'k' }, { uniqueRequestId: 'r3', sentAt: harness.clock.now() })
    await deliver(cloud, 'book', bookAgain)
    expect(withoutRepeats(ran)).toEqual(['r3'])
    expect(harness.store.items().some(({ sk }) => sk === 'dead#r1')).toBe(true)

    // A newer request has run since: the rest of the older one is stale.
    const pay = after.stageHandler('pay', () => {})
    await sendCopy(cloud, 'pay', orphan)
    await deliver(cloud, 'pay', pay)
    expectLastDelivery(harness.settled, { kind: 'stale' })
  },
)
