import type { SQSRecord } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import type { StayingRecord } from '../../../src/library/run/deliver/partialResponses.ts'
import { openMapping } from '../../../src/library/features/mapping/mapping.ts'
import { EntryRefusedError } from '../../../src/library/protocol/send/refusal.ts'
import { sqsEvent } from 'lineclear/testing'

const GONE = new EntryRefusedError(
  'InvalidParameterValue',
  'InvalidParameterValue: Value AQEB for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.',
)
const THROTTLED = new EntryRefusedError('RequestThrottled', 'RequestThrottled: slow down')

function recordOf(messageId: string, receipts = 1, body = '{}'): SQSRecord {
  const [record] = sqsEvent({}).Records
  if (record === undefined) throw new Error('an event without a record')
  const ApproximateReceiveCount = String(receipts)
  const attributes = { ...record.attributes, ApproximateReceiveCount }
  return { ...record, messageId, body, attributes }
}

/** Sent at this time: no purge before it can have met the record. */
function sentAt(messageId: string, at: number): SQSRecord {
  const record = recordOf(messageId)
  return { ...record, attributes: { ...record.attributes, SentTimestamp: String(at) } }
}

const kept = (messageId: string, until?: number): StayingRecord => ({
  record: recordOf(messageId),
  until,
})

/** A mapping that got these as failed records at time 0, and is probed for them then. */
function answered(...records: readonly StayingRecord[]) {
  const mapping = openMapping('unknown')
  mapping.noteReported(records, 0)
  const ask = (now: number, ...outcomes: readonly (Error | undefined)[]) => {
    const due = mapping.dueForProbe(now)
    mapping.noteProbe(due, outcomes, now, now + 10)
    return due.map(({ record }) => record.messageId)
  }
  return { mapping, ask }
}

describe('a message that was named as failed', () => {
  it('and is still in flight after the mapping would have deleted it proves that the mapping reads the response', () => {
    const { mapping, ask } = answered(kept('a', 30_000))
    expect(ask(2_000, undefined)).toEqual(['a'])
    expect(mapping.partialResponses()).toBe('reports')
    mapping.noteReported([kept('b', 60_000)], 3_000)
    expect(ask(6_000)).toEqual([])
  })

  it('and is still in flight right after the response proves nothing: it is probed a second time, and no third', () => {
    const { mapping, ask } = answered(kept('a', 30_000))
    expect(ask(50)).toEqual([])
    expect(ask(100, undefined)).toEqual(['a'])
    expect(mapping.partialResponses()).toBe('unknown')
    expect(ask(1_000)).toEqual([])
    expect(ask(2_000, THROTTLED)).toEqual(['a'])
    expect(mapping.partialResponses()).toBe('unknown')
    expect(ask(4_000)).toEqual([])
  })

  it('and is gone while it is certainly hidden, as is one sent later, proves that the mapping ignores the response', () => {
    const { mapping, ask } = answered(kept('a', 30_000), kept('b'), kept('c', 500))
    expect(ask(1_000, GONE)).toEqual(['a'])
    expect([mapping.partialResponses(), mapping.takeDeleted()]).toEqual(['unknown', []])
    const finished = [sentAt('early', 900), sentAt('late', 1_010), sentAt('earlier', 0)]
    const witness = mapping.witness(finished, 1_100)
    expect(witness?.messageId).toBe('late')
    if (witness === undefined) return
    mapping.noteReported([{ record: witness, until: 11_100 }], 1_100)
    expect(mapping.witness(finished, 1_200)).toBe(undefined)
    expect(ask(1_200, GONE)).toEqual(['late'])
    expect(mapping.partialResponses()).toBe('ignores')
    const ids = mapping.takeDeleted().map(({ record }) => record.messageId)
    expect(ids).toEqual(['a', 'b', 'c', 'late'])
  })

  it('and was purged is not sent again: a later one is still there', () => {
    const { mapping, ask } = answered(kept('a', 60_000), kept('b'))
    ask(1_000, GONE)
    mapping.noteReported([{ record: sentAt('late', 1_500), until: 12_000 }], 2_000)
    expect(ask(2_100, undefined)).toEqual(['late'])
    expect(ask(4_000, undefined)).toEqual(['late'])
    expect([mapping.partialResponses(), mapping.takeDeleted()]).toEqual(['reports', []])
    expect(mapping.isInQuestion()).toBe(false)
  })

  it('and is gone with one that the same purge can have met proves nothing', () => {
    const { mapping, ask } = answered(kept('a', 60_000))
    ask(1_000, GONE)
    mapping.noteReported([{ record: sentAt('old', 500), until: 30_000 }], 1_500)
    ask(1_700, GONE)
    expect(mapping.partialResponses()).toBe('unknown')
    expect(mapping.witness([sentAt('old', 500)], 60_000)).toBe(undefined)
    expect(mapping.witness([sentAt('old', 500)], 61_010)?.messageId).toBe('old')
  })

  it('and comes back after all was not purged, and proves that the mapping reads the response', () => {
    const { mapping, ask } = answered(kept('a', 10_000), kept('b', 20_000))
    ask(1_000, GONE, GONE)
    mapping.noteReceived([recordOf('b', 2)], 20_000)
    expect(mapping.partialResponses()).toBe('reports')
  })

  it('and is gone proves nothing while another one is there', () => {
    const { mapping, ask } = answered(kept('a', 30_000), kept('b', 20_000))
    ask(500, GONE, undefined)
    expect(mapping.partialResponses()).toBe('unknown')
    ask(2_500, GONE, undefined)
    expect(mapping.partialResponses()).toBe('reports')
  })

  it('and is gone proves nothing when SQS answers after its wait: another consumer may have deleted it by then', () => {
    const suspectedAt = (now: number): boolean => {
      const { mapping } = answered(kept('a', 30_000))
      mapping.noteProbe(mapping.dueForProbe(29_000), [GONE], 29_000, now)
      return mapping.witness([sentAt('late', now)], now) !== undefined
    }
    expect([suspectedAt(29_999), suspectedAt(30_000)]).toEqual([true, false])
  })

  it('is not probed when its wait is over or unknown, since a refusal would prove nothing', () => {
    const { mapping, ask } = answered(kept('a', 2_000), kept('b'))
    expect(ask(1_800)).toEqual([])
    const due = mapping.dueForProbe(1_700)
    mapping.noteProbe(due, [GONE], 1_700, 2_100)
    expect(mapping.partialResponses()).toBe('unknown')
  })

  it('and comes back when it is due proves that the mapping reads the response', () => {
    const { mapping } = answered(kept('a', 2_000))
    mapping.noteReceived([recordOf('a', 2)], 2_000)
    expect(mapping.partialResponses()).toBe('reports')
  })

  it('and comes back early was delivered twice: that proves nothing, and it is not probed any more', () => {
    const { mapping, ask } = answered(kept('a', 20_000))
    mapping.noteReceived([recordOf('a', 2)], 1_000)
    expect(mapping.partialResponses()).toBe('unknown')
    expect(ask(2_500)).toEqual([])
  })
})

it('only the newest records that fit are remembered', () => {
  const mapping = openMapping('unknown')
  const body = 'x'.repeat(6 * 1_024 * 1_024)
  for (const id of ['a', 'b', 'c']) {
    mapping.noteReported([{ record: recordOf(id, 1, body), until: 30_000 }], 0)
  }
  expect(mapping.dueForProbe(1_000).map(({ record }) => record.messageId)).toEqual(['b', 'c'])
})

it('deleted records are given out once, and again when they could not be sent', () => {
  const { mapping, ask } = answered(kept('a', 30_000), kept('b', 20_000))
  ask(1_000, GONE, GONE)
  mapping.noteReported([{ record: sentAt('late', 1_100), until: 12_000 }], 1_200)
  ask(1_500, GONE)
  const [first] = mapping.takeDeleted()
  expect(mapping.takeDeleted()).toEqual([])
  mapping.returnDeleted(first === undefined ? [] : [first])
  expect(mapping.takeDeleted()).toEqual([first])
  expect(first?.record.messageId).toBe('a')
})

it.each(['reports', 'ignores'] as const)('what an option says (%s) is not probed', (reading) => {
  const mapping = openMapping(reading)
  mapping.noteReported([kept('a', 30_000)], 0)
  mapping.noteReceived([recordOf('a', 2)], 30_000)
  expect(mapping.dueForProbe(1_000)).toEqual([])
  expect(mapping.takeDeleted()).toEqual([])
  expect(mapping.partialResponses()).toBe(reading)
})
