import { isDeepStrictEqual } from 'node:util'
import type { SQSRecord } from 'aws-lambda'
import fc from 'fast-check'
import type { Settlement } from 'lineclear'
import { fakeClock, type MemoryCloud, memoryCloud } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../depth.ts'
import { isAcknowledged } from '../../../src/library/protocol/claim/settlement.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { ASKING, CONSUMERS, type End, type Fuzzed, type Seen } from './everyConsumer.ts'
import { anyRecord, SENT_AT } from './forms.ts'
import { assertUnpolluted, PATIENCE, settings } from './settings.ts'

/** Hostile records of one history, beside a good one. */
const HOSTILE = 6
/** As often as SQS would deliver what stays, before it moves it. */
const DELIVERIES = 3

const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', note))
afterAll(() => void process.off('unhandledRejection', note))

const moved = { deadLetter: { queue: 'moved', maxReceiveCount: 4 } }

/** Histories of one consumer: 20,160 hostile messages over all of them in the proof. */
const HISTORIES = 42

it.each(sampled(Object.entries(CONSUMERS), 3))(
  'every message to %s comes to an end that a person can read',
  async (_, make) => {
    const ends = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRecord, { minLength: HOSTILE, maxLength: HOSTILE }),
        fc.nat(HOSTILE),
        async (hostile, at) => {
          const cloud = memoryCloud({
            queues: { work: moved, last: {}, dead: {}, moved: {} },
            clock: fakeClock(SENT_AT + 1_000),
          })
          const seen: Seen = { cloud, runs: [], settled: [] }
          const fuzzed = await make(seen)
          const records = hostile.toSpliced(at, 0, fuzzed.good)
          await history(seen, fuzzed, records)
          for (const { settlement } of seen.settled) ends.add(settlement.kind)
        },
      ),
      settings(HISTORIES),
    )
    expect(unhandled).toEqual([])
    expect(ends).toContain('completed')
    expect(ends).toContain('deadLettered')
    assertUnpolluted()
  },
  PATIENCE,
)

async function history(seen: Seen, fuzzed: Fuzzed, records: readonly SQSRecord[]): Promise<void> {
  const { cloud } = seen
  let staying = records.map((record) => ({ ...record, eventSourceARN: cloud.queueArn('work') }))
  for (let nth = 1; nth <= DELIVERIES && staying.length > 0; nth++) {
    const kept = await deliverOnce(seen, fuzzed, staying)
    // What waits behind one of its group has not been looked at.
    staying = staying.filter(({ messageId }) => kept.has(messageId))
    cloud.clock.advance(3_600_000)
  }
  await cloud.drain({ work: fuzzed.handler })
  expect(cloud.messages('work')).toEqual([])
  for (const { carried } of cloud.messages('dead')) expect(carried.reason).toMatch(/\S/)
  checkRuns(seen, fuzzed)
  checkDuplicates(seen)
}

/** Each record of a batch has one end, and what the queue, the log and the answer say agrees with it. */
async function deliverOnce(
  { cloud, settled }: Seen,
  { handler }: Fuzzed,
  Records: SQSRecord[],
): Promise<ReadonlySet<string>> {
  const work = count(cloud, 'work')
  const before = { settled: settled.length, dead: count(cloud, 'dead'), lines: cloud.lines.length }
  const answer = (await handler({ Records }, lambdaContext())) as {
    readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
  }
  const ends = settled.slice(before.settled)
  expect(ends).toHaveLength(Records.length)
  const kinds = ends.map(({ settlement }) => settlement)
  const stays = kinds.filter((each) => !isAcknowledged(each))
  expect(answer.batchItemFailures).toHaveLength(stays.length)
  const ofKind = (kind: Settlement['kind']) => kinds.filter((each) => each.kind === kind).length
  expect(count(cloud, 'dead') - before.dead).toBe(ofKind('deadLettered'))
  // Each copy is there; a notification of several objects has more.
  expect(count(cloud, 'work') - work).toBeGreaterThanOrEqual(ofKind('resent'))
  const kept = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  for (const end of ends)
    expect(linesOf(cloud, before.lines, end, kept), readable(end)).not.toEqual([])
  return kept
}

function count(cloud: MemoryCloud, queue: string): number {
  return cloud.messages(queue).length
}

/** What a person finds of it in the log: by its id, by that of its run, or by that of SQS where it cannot be read. */
function linesOf(
  { lines }: MemoryCloud,
  from: number,
  { message }: End,
  kept: ReadonlySet<string>,
): readonly string[] {
  const names =
    message === undefined
      ? [...kept]
      : [message.uniqueRequestId, message.envelope.carried.flow?.id, ASKING]
  const isOf = (fields: object): boolean =>
    Object.values(fields).some((value) => names.includes(String(value)))
  return lines.slice(from).flatMap((line) => (isOf(line.fields) ? [line.message] : []))
}

function readable({ settlement, message }: End): string {
  return JSON.stringify([settlement, message?.uniqueRequestId, message?.envelope.body])
}

/** What is dropped as a copy, and without a word of another payload, has come before with this payload. */
function checkDuplicates({ settled }: Seen): void {
  const textOf = ({ message }: End): string => `${message?.uniqueRequestId} ${message?.payloadHash}`
  for (const [nth, end] of settled.entries()) {
    const { settlement } = end
    if (settlement.kind !== 'duplicate' || settlement.otherPayload === true) continue
    const others = settled.filter((_, at) => at !== nth).map(textOf)
    expect(others, readable(end)).toContain(textOf(end))
  }
}

/** The good one has run once, with its own payload: no other has taken its id, and it has taken no other's. */
function checkRuns({ runs }: Seen, { payload }: Fuzzed): void {
  const own = runs.filter((each) => isDeepStrictEqual(each.payload, payload))
  expect(own).toHaveLength(1)
  const [good] = own
  // What another one has run under this id has another payload: it would have been taken for the good one.
  expect(runs.filter(({ id }) => id === good?.id)).toHaveLength(1)
}
