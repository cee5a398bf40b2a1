import { describe, expect, it } from 'vitest'
import {
  writeDelayed,
  readDelayed,
} from '../../../../src/library/protocol/claim/delayed/delayedRow.ts'
import { adviseDeadRun } from '../../../../src/tools/operator/explain/adviseFlow.ts'
import { adviseDelayed } from '../../../../src/tools/operator/explain/otherState.ts'

const DAY = 86_400_000
const NOW = 100 * DAY

function advise(stages: Readonly<Record<string, string>>, diedAt = NOW): string {
  const created = new Date(diedAt).toISOString()
  const item = { pk: 'flow#trip/k', sk: 'dead#r1', statusShard: 'dead#1', created, ...stages }
  const about = { id: 'trip/k', request: 'r1', homeQueue: undefined, now: NOW }
  return adviseDeadRun(item, about)
    .map(({ text }) => text)
    .join('; ')
}

describe('a redrive is advised of what has a dead letter', () => {
  it.each([
    ['died', { 'stage:pay': 'dead 2 terminal' }, true],
    [
      'died in one stage and was given up in another',
      { 'stage:book': 'dead 2 abandoned', 'stage:pay': 'dead 2 exhausted' },
      true,
    ],
    ['was given up at work', { 'stage:pay': 'dead 2 abandoned' }, false],
    ['was given up between two stages', { 'stage:book': 'settled on pay' }, false],
  ])('a run that %s', (_what, stages, has) => {
    const text = advise(stages)
    expect(/dlq (redrive|discard)/.test(text) || text.includes('a redrive continues it')).toBe(has)
    expect(text.includes('without a dead letter')).toBe(!has)
    expect(text).toContain('lineclear decide trip/k drop --request r1')
  })

  it('and not of a run that died before the oldest message that SQS can have', () => {
    const stages = { 'stage:pay': 'dead 2 exhausted' }
    expect(advise(stages, NOW - 13 * DAY)).toContain('dlq redrive')
    expect(advise(stages, NOW - 14 * DAY)).not.toContain('dlq redrive')
  })
})

it('a message that is kept back names the run that keeps it, and not the sweeper', () => {
  const row = writeDelayed({
    id: 'm1',
    queue: 'https://sqs.eu-west-1.amazonaws.com/123456789012/next',
    message: { body: '{}', attributes: {} },
    due: NOW - DAY,
    now: 0,
    by: 'trip.book',
    uniqueRequestId: 'r1',
    run: { recordPk: 'flow#trip/k', uniqueRequestId: 'r1' },
    keepFor: DAY,
  })
  const kept = readDelayed({ ...row, dueAt: NOW + 1 })
  const [first] = kept === undefined ? [] : adviseDelayed(kept, 'later/m1', NOW)
  expect(first?.text).toContain('lineclear explain trip/k')
})
