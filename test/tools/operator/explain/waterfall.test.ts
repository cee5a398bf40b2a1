import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../../src/library/entries/sweeper/address.ts'
import { factsOf } from '../../../../src/tools/operator/explain/factsOf.ts'
import type { StoredRequest } from '../../../../src/tools/operator/explain/readRequest.ts'
import { buildTimeline } from '../../../../src/tools/operator/explain/timeline.ts'
import type { Bar } from '../../../../src/tools/operator/explain/waterfall.ts'
import { waterfallOf } from '../../../../src/tools/operator/explain/waterfallOf.ts'
import type { LogEntry } from '../../../../src/tools/operator/log/readLog.ts'
import { sortableId } from '../../../../src/library/base/sortableId.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { NOW, SAMPLES } from './samples.ts'

const START = NOW - 60_000
const iso = (seconds: number): string => new Date(START + seconds * 1_000).toISOString()

/** A line of the log, seconds after the start. */
function line(
  seconds: number,
  message: string,
  attempt?: number,
  more: Readonly<Record<string, unknown>> = {},
): LogEntry {
  const fields = {
    level: message === 'started' ? 'DEBUG' : 'INFO',
    consumer: 'orders',
    uniquerequestid: 'r1',
    ...(attempt !== undefined && { attempt }),
    ...more,
  }
  return { at: START + seconds * 1_000, message, fields }
}

function drawn(log: readonly LogEntry[], items: readonly Item[] = []) {
  const found: StoredRequest[] = items.slice(0, 1).map((item) => ({ ...itemKey(item), items }))
  const facts = items.map((item) => factsOf(item, { now: NOW, siblings: items }))
  const { bars, ...rest } = waterfallOf(buildTimeline(log, found), facts, NOW)
  return { ...rest, bars, shown: bars.map(inSeconds) }
}

const seconds = (time: number): number => (time - START) / 1_000

function inSeconds({ lane, kind, from, to, open, outcome }: Bar): readonly unknown[] {
  return [lane, kind, seconds(from), seconds(to), outcome ?? (open ? 'open' : 'unknown')]
}

const token = (more: Item): Item => ({
  format: 1,
  pk: 'lock#orders/r1',
  sk: 'token',
  attemptId: 'a',
  attempt: 1,
  fence: 1,
  created: iso(0),
  lockedBy: 'me',
  ...more,
})

describe('attempts', () => {
  it('failed, then succeeded: the delay stands between them, and the table adds no bar', () => {
    const { shown } = drawn(
      [
        line(0.1, 'started', 1),
        line(1, 'failed, will be retried', 1, { error: 'Error: bank' }),
        line(5.1, 'started', 2),
        line(6, 'succeeded', 2),
      ],
      [token({ attempt: 2, created: iso(5), actualCompletion: iso(6.2), ttl: NOW })],
    )
    expect(shown).toEqual([
      ['orders', 'attempt', 0.1, 1, 'failed'],
      ['orders', 'delay', 1, 5, 'unknown'],
      ['orders', 'attempt', 5, 6, 'succeeded'],
    ])
  })

  it('killed: it is lost, and its lease keeps the next one out', () => {
    const { shown, bars } = drawn(
      [line(0, 'started', 1), line(2, 'a line of the handler', 1), line(30, 'started', 2)],
      [token({ attempt: 2, status: 'inProgress', leaseUntil: NOW + 9_000, created: iso(30) })],
    )
    expect(shown).toEqual([
      ['orders', 'attempt', 0, 2, 'lost'],
      ['orders', 'lease', 2, 30, 'unknown'],
      ['orders', 'attempt', 30, 60, 'open'],
    ])
    expect(bars.at(-1)).toMatchObject({ label: 'attempt 2: running', until: NOW + 9_000 })
  })

  it('killed, and none has taken over: its lease ends, as the table says', () => {
    const { shown } = drawn(
      [line(0, 'started', 1)],
      [token({ status: 'inProgress', leaseUntil: START + 20_000 })],
    )
    expect(shown).toEqual([
      ['orders', 'attempt', 0, 0, 'lost'],
      ['orders', 'lease', 0, 20, 'unknown'],
    ])
  })

  it('overtaken: an attempt that was taken for dead ends after the next has begun', () => {
    const { shown } = drawn([
      line(0, 'started', 1),
      line(10, 'started', 2),
      line(12, 'succeeded', 2),
      line(14, 'succeeded', 1),
      line(14.1, 'ended, but another attempt had taken over: the record comes back', 1),
    ])
    expect(shown).toEqual([
      ['orders', 'attempt', 0, 14.1, 'overtaken'],
      ['orders', 'attempt', 10, 12, 'succeeded'],
    ])
  })

  it('timed out, dead, in doubt and stale are told apart', () => {
    const { shown } = drawn([
      line(0, 'started', 1),
      line(1, 'timed out: the handler still ran when the time was up; the record comes back', 1),
      line(2, 'started', 2),
      line(3, 'failed for good, will be dead-lettered', 2),
      // Redriven: its attempts count from 1 again.
      line(4, 'started', 1),
      line(5, 'unknown outcome, will be dead-lettered', 1),
      line(6, 'started', 1),
      line(7, 'dropped: the data are newer than the request', 1),
    ])
    expect(shown.map((bar) => bar.at(-1))).toEqual([
      'timedOut',
      'unknown',
      'dead',
      'unknown',
      'stale',
    ])
    expect(shown[1]).toEqual(['orders', 'delay', 1, 2, 'unknown'])
  })

  it('without lines for debugging an end has no beginning; the same word of a handler begins none', () => {
    const { shown } = drawn([
      line(1, 'failed, will be retried', 1),
      line(4, 'started', 2, { level: 'INFO' }),
      line(5, 'succeeded', 2),
    ])
    expect(shown).toEqual([
      ['orders', 'attempt', 1, 1, 'failed'],
      ['orders', 'delay', 1, 5, 'unknown'],
      ['orders', 'attempt', 5, 5, 'succeeded'],
    ])
  })

  it('that an operator has resolved did not succeed by itself', () => {
    const resolved = { operatorDid: 'decide done', operatorBy: 'ann', operatorAt: iso(50) }
    const { bars, marks } = drawn(
      [line(0, 'started', 1)],
      [token({ ...resolved, actualCompletion: iso(50), ttl: NOW })],
    )
    expect(bars).toMatchObject([{ to: START, outcome: 'succeeded' }])
    expect(marks).toMatchObject([{ kind: 'operator', label: 'decide done, by ann' }])
  })
})

describe('beside the attempts', () => {
  it('duplicates and dead letters are marks, with the message', () => {
    const { marks, bars } = drawn([
      line(0, 'started', 1),
      line(2, 'succeeded', 1),
      line(1, 'deferred', undefined, { until: iso(1.5), messageId: 'm2' }),
      line(5, 'dropped: a duplicate of a finished request', undefined, {
        because: 'duplicate',
        messageId: 'm2',
      }),
    ])
    expect(marks).toMatchObject([{ kind: 'dropped', messageId: 'm2', lane: 'orders' }])
    expect(bars.map(({ kind }) => kind)).toEqual(['attempt', 'delay'])
  })

  it('effects, calls and messages stand on the last attempt, without a time', () => {
    const { bars } = drawn(
      [line(0, 'started', 1), line(2, 'succeeded', 1)],
      [
        token({
          ttl: NOW,
          applied: new Set(['reserve']),
          'step:charge': '',
          sent: '[["mail","m-1"]]',
        }),
      ],
    )
    expect(bars[0]?.marks).toMatchObject([
      { kind: 'effect', label: 'reserve', at: undefined },
      { kind: 'call', label: 'charge', state: 'done' },
      { kind: 'send', label: 'mail', messageId: 'm-1' },
    ])
  })

  it('of a flow each stage and step has a lane; without a log the table knows the last attempt of a stage', () => {
    const began = START + 1_000
    const stage = {
      format: 1,
      pk: 'flow#trip/k',
      sk: 'stage',
      epoch: 1,
      fence: 2,
      newest: `${String(START).padStart(15, '0')}#r1`,
      uniquerequestid: 'r1',
      giveUpAt: NOW + 60_000,
      'stage:book': 'settled on pay quote',
      'stage:pay': `retry 1 ${sortableId(began)} ${NOW + 5_000} 1 sent`,
      applied: new Set(['book:seat', 'pay?1:charge']),
    }
    const step = { ...SAMPLES.step.waiting[0], created: iso(2) }
    const log = [
      line(0.2, 'started', 1, { consumer: 'trip.book' }),
      line(0.5, 'succeeded', 1, { consumer: 'trip.book' }),
    ]
    const { shown, bars, lanes, marks } = drawn(log, [stage, step])
    expect(shown).toEqual([
      ['trip.book', 'wait', 0, 0.2, 'unknown'],
      ['trip.book', 'attempt', 0.2, 0.5, 'succeeded'],
      ['trip.pay', 'attempt', 1, 1, 'failed'],
      ['trip.pay', 'delay', 1, 60, 'open'],
      ['trip.quote', 'wait', 2, 60, 'open'],
    ])
    expect(lanes).toEqual(['trip.book', 'trip.pay', 'trip.quote', 'trip'])
    expect(bars[1]?.marks).toMatchObject([
      { kind: 'effect', label: 'seat' },
      { kind: 'send', label: 'pay' },
      { kind: 'send', label: 'quote' },
    ])
    expect(bars[2]?.marks).toMatchObject([{ kind: 'call', label: 'charge', state: 'unknown' }])
    expect(marks).toMatchObject([{ kind: 'sent', lane: 'trip' }])
  })

  it('of a key the log names the name, and the table its tenant, too: one lane', () => {
    const { lanes, bars } = drawn(
      [
        { at: START, message: 'started', fields: { name: 'open/api', attempt: 1 } },
        { at: START + 9, message: 'succeeded', fields: { name: 'open/api', attempt: 1 } },
      ],
      [token({ pk: 'key#open%2Fapi@https%3A%2F%2Fid/k1', ttl: NOW })],
    )
    expect(lanes).toEqual(['open/api'])
    expect(bars).toMatchObject([{ request: 'k1', outcome: 'succeeded' }])
  })

  it('a delayed message waits until it is sent', () => {
    const { shown } = drawn([], [...SAMPLES.delayed.waiting])
    expect(shown).toEqual([['trip.book', 'delay', 0, 60, 'open']])
  })
})

it.each(
  Object.entries(SAMPLES).flatMap(([kind, states]) =>
    Object.entries(states).map(([status, items]) => [kind, status, items] as const),
  ),
)('of %s that is %s nothing is later than now, nor ends before it begins', (_, _status, items) => {
  const { bars, marks, from = 0, to = 0 } = drawn([], items)
  for (const bar of bars) {
    expect(bar.to).toBeGreaterThanOrEqual(bar.from)
    expect(bar.to).toBeLessThanOrEqual(NOW)
    expect([from <= bar.from, bar.to <= to]).toEqual([true, true])
  }
  for (const { at = NOW } of marks) expect(at).toBeLessThanOrEqual(NOW)
})

it('nothing is drawn of nothing', () => {
  expect(drawn([])).toMatchObject({
    from: undefined,
    to: undefined,
    lanes: [],
    bars: [],
    marks: [],
  })
})
