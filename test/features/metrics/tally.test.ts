import { describe, expect, it } from 'vitest'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { emfMetrics } from '../../../src/library/features/metrics/emfMetrics.ts'
import { count, milliseconds, report } from '../../../src/library/features/metrics/metrics.ts'
import { metricOf, openTally } from '../../../src/library/features/metrics/counting.ts'

const ENDS: readonly (readonly [Settlement, string])[] = [
  [{ kind: 'completed' }, 'completed'],
  [{ kind: 'duplicate' }, 'duplicate'],
  [{ kind: 'alreadyDeadLettered' }, 'alreadyDeadLettered'],
  [{ kind: 'stale' }, 'stale'],
  [{ kind: 'superseded' }, 'superseded'],
  [{ kind: 'reset' }, 'reset'],
  [{ kind: 'dropped' }, 'dropped'],
  [{ kind: 'coalesced' }, 'coalesced'],
  [{ kind: 'late' }, 'late'],
  [{ kind: 'accepted' }, 'accepted'],
  [{ kind: 'replaced' }, 'replaced'],
  [{ kind: 'resent', resendNumber: 1, until: 1 }, 'resent'],
  [{ kind: 'retrying', until: 1 }, 'retrying'],
  [{ kind: 'deadLettered', reason: 'exhausted' }, 'deadLettered'],
  [{ kind: 'deadLettered', reason: 'constructor' }, 'deadLettered'],
  [{ kind: 'deadLettered', reason: 'rejected' }, 'rejected'],
  [{ kind: 'deadLettered', reason: 'unknown' }, 'unknown'],
  [{ kind: 'deferred', until: 1 }, 'deferred'],
  [{ kind: 'notStarted' }, 'notStarted'],
  [{ kind: 'timedOut', until: 1 }, 'timedOut'],
  [{ kind: 'failed', error: new Error('x') }, 'failed'],
]

describe('every settlement is counted under its kind, two reasons of dead letters under their own', () => {
  it.each(ENDS)('%j as %s', (settlement, name) => {
    expect(metricOf(settlement)).toBe(name)
  })

  it('the counts add up to what was received', () => {
    const tally = openTally()
    for (const [settlement] of ENDS) tally.settled(settlement, undefined)
    const [received, , ...ends] = tally.figures()
    expect(received).toEqual(count('received', ENDS.length))
    expect(ends.reduce((sum, { value }) => sum + value, 0)).toBe(ENDS.length)
  })
})

it('handlers are measured, and the latency of completed records', () => {
  const tally = openTally()
  tally.ran(1, 20)
  tally.ran(3, 30)
  tally.settled({ kind: 'completed' }, 500)
  tally.settled({ kind: 'completed' }, -100)
  tally.settled({ kind: 'retrying', until: 1 }, 700)
  expect(tally.figures()).toEqual([
    count('received', 3),
    count('started', 2),
    count('completed', 2),
    count('retrying', 1),
    count('attempt', 1),
    milliseconds('duration', 20),
    count('attempt', 3),
    milliseconds('duration', 30),
    milliseconds('latency', 500),
    milliseconds('latency', 0),
  ])
})

describe('the embedded metric format', () => {
  function linesOf(figures: Parameters<typeof report>[2]): Record<string, unknown>[] {
    const lines: string[] = []
    const metrics = emfMetrics({ fieldsOnly: [], write: (line) => lines.push(line) })
    report(metrics, { flow: 'trip', stage: 'book' }, figures)
    report(metrics, {}, [])
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  it('is one line, with the dimensions and each metric once', () => {
    const [line, ...others] = linesOf([
      count('received', 2),
      milliseconds('duration', 5),
      milliseconds('duration', 7),
    ])
    expect(others).toEqual([])
    expect(line).toEqual({
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'Lineclear',
            Dimensions: [['flow', 'stage']],
            Metrics: [
              { Name: 'received', Unit: 'Count' },
              { Name: 'duration', Unit: 'Milliseconds' },
            ],
          },
        ],
      },
      flow: 'trip',
      stage: 'book',
      received: 2,
      duration: [5, 7],
    })
  })

  it('is several lines for more than 100 values, and counts nothing twice', () => {
    const many = Array.from({ length: 250 }, (_, index) => milliseconds('duration', index))
    const lines = linesOf([count('received', 250), ...many])
    expect(lines.map((line) => [line['received'], line['duration']])).toEqual([
      [250, many.slice(0, 100).map(({ value }) => value)],
      [undefined, many.slice(100, 200).map(({ value }) => value)],
      [undefined, many.slice(200).map(({ value }) => value)],
    ])
  })

  it('starts empty after each report', () => {
    const lines: string[] = []
    const metrics = emfMetrics({ namespace: 'Shop', write: (line) => lines.push(line) })
    report(metrics, { consumer: 'a' }, [count('completed', 1)])
    report(metrics, { name: 'b' }, [count('replayed', 1)])
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'Shop', Dimensions: [['name']] }] },
      name: 'b',
      replayed: 1,
    })
    expect(lines[1]).not.toContain('consumer')
  })
})
