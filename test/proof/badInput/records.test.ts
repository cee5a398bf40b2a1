import type { SQSRecord } from 'aws-lambda'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isAcknowledged, type Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { CONSUMERS } from './consumers.ts'
import { type ConsumerHarness, consumerHarness, startQueues } from './consumerHarness.ts'
import { takeAll } from './takeAll.ts'
import type { Row } from './row.ts'
import { sampled } from '../depth.ts'
import { TABLE } from './table.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startQueues()
})
afterEach(async () => {
  await takeAll(cloud, 'dead')
  await takeAll(cloud, 'back')
})
afterAll(() => cloud.stop())

const ROWS = Object.entries(TABLE).map(([group, rows]) => [group, rows] as const)

describe.each(ROWS)('%s', (_group, rows) => {
  for (const row of rows) it(`${row.what}: alone`, () => expectEnd(row, []))
  for (const row of sampled(rows, 3)) {
    it(`${row.what}: among good ones`, () => expectEnd(row, [0, 1, 2]))
  }
})

it('the table has more than 150 rows', () => {
  expect(ROWS.flatMap(([, rows]) => rows).length).toBeGreaterThan(150)
})

/** Delivers the row, with good records at these places around it, and checks how each ended. */
async function expectEnd(row: Row, places: readonly number[]): Promise<void> {
  const harness = await consumerHarness(cloud, row.items ?? [])
  const { handler, good } = await CONSUMERS[row.to ?? 'orders'](harness)
  const before = harness.settled.length
  const ranBefore = harness.ran.length
  const [one, ...others] = places.flatMap((place) => good[place] ?? [])
  const batch = [...(one === undefined ? [] : [one]), row.record, ...others]
  const { batchItemFailures } = await handler({ Records: batch }, lambdaContext())
  const ends = harness.settled.slice(before)
  expect(ends).toHaveLength(batch.length)
  const ids = new Set(good.map(({ messageId }) => messageId))
  const goodEnds = ends.filter(({ message }) => isGood(message, ids))
  expect(goodEnds.map(({ settlement }) => settlement)).toEqual(
    places.map(() => ({ kind: 'completed' })),
  )
  const bad = ends.find(({ message }) => !isGood(message, ids))
  expect(bad?.settlement.kind).toBe(row.end)
  const kept = bad !== undefined && isAcknowledged(bad.settlement) ? [] : [row.record.messageId]
  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(kept)
  checkRan(harness.ran.slice(ranBefore), row, one === undefined ? [] : [one, ...others])
  await checkEnd(harness, row, bad?.settlement)
  expect(Object.keys(Object.prototype)).toEqual([])
}

type Ends = ConsumerHarness['settled'][number]

function isGood(message: Ends['message'], ids: ReadonlySet<string>): boolean {
  if (message?.envelope === undefined) return false
  const { identity, uniqueRequestId } = message
  if (identity === 'sqs') return ids.has(uniqueRequestId)
  return message.kind === 'readable' && GOOD.test(JSON.stringify(message.payload))
}

const GOOD = /"(?:id|key|quoteId)":"(?:of-)?good-\d"/

/** Each good record ran once, the row as expected, and nothing else ran. */
function checkRan(ran: readonly unknown[], row: Row, good: readonly SQSRecord[]): void {
  const expected = good.map(({ body }) => JSON.parse(body) as unknown)
  if (row.to === 'text') expected.splice(0, Infinity, ...good.map(({ body }) => body))
  if ('ran' in row) expected.push(row.ran)
  expect(ran).toHaveLength(expected.length)
  expect(ran).toEqual(expect.arrayContaining(expected))
}

async function checkEnd(
  harness: ConsumerHarness,
  row: Row,
  end: Settlement | undefined,
): Promise<void> {
  const deadLetters = await takeAll(harness.cloud, 'dead')
  expect(deadLetters).toHaveLength(row.end === 'deadLettered' ? 1 : 0)
  const [deadLetter] = deadLetters
  if (deadLetter !== undefined) expect(deadLetter.bodies).toContain(row.letter ?? row.record.body)
  if (row.text === undefined) return
  const error = deadLetter === undefined ? JSON.stringify(end, errorText) : deadLetter.error
  expect(error).toContain(row.text)
}

function errorText(_name: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value
}
