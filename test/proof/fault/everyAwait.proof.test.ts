import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { type Faults, type LocalCloud, mapQueue } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { inCalm } from '../hostile/mode.ts'
import { expectedSums, openBooks, startLedger, valuesOf } from './ledger.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLedger()
})
afterAll(() => cloud.stop())

/** claim, debit, answer of the charge, credit, send, settle; one more shows that there is no seventh. */
const CALLS = [1, 2, 3, 4, 5, 6, 7]
const KINDS = ['killBefore', 'killAfter', 'loseAnswer', 'throttle'] as const
const POINTS = CALLS.flatMap((call) => KINDS.map((fault) => ({ call, fault })))

describe('a fault at every call of a handler', () => {
  it('loses nothing and doubles nothing', async () => {
    const bookings = [...POINTS, { call: 0, fault: 'killBeforeDelete' as const }].map(
      (point, index) => ({
        id: `${point.fault} at ${point.call}`,
        amount: index + 1,
      }),
    )
    const faults: Faults = {
      at: [
        ...POINTS.map(({ call, fault }, index) => ({ invocation: index + 1, call, fault })),
        { invocation: bookings.length, fault: 'killBeforeDelete' },
      ],
    }
    const { book, take, charges } = openBooks(cloud)
    for (const booking of bookings) {
      await cloud.sqs.send(
        new SendMessageCommand({
          QueueUrl: cloud.queueUrl('bookings'),
          MessageBody: JSON.stringify(booking),
        }),
      )
    }
    const options = { cloud, batchSize: 1, functionTimeout: 5_000, logger: quietLogger() }
    const first = mapQueue({
      ...options,
      queue: 'bookings',
      handler: book,
      faults,
      concurrency: 30,
    })
    const second = mapQueue({ ...options, queue: 'receipts', handler: take, batchSize: 10 })
    await first.drained({ timeout: 120_000 })
    await second.drained({ timeout: 60_000 })

    inCalm('requests', () =>
      expect(first.counts).toMatchObject({ kills: 6 * 2 + 1, lostAnswers: 6, throttles: 6 }),
    )
    expect(await valuesOf(cloud, 'sums', 'amount')).toEqual(expectedSums(bookings))
    expect(await valuesOf(cloud, 'taken', 'times')).toEqual(
      Object.fromEntries(bookings.map(({ id }) => [id, 1])),
    )
    expect(charges.size).toBe(bookings.length)
    expect(cloud.inspectQueue('dead').ready).toEqual([])
  })
})
