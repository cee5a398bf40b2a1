import { expect, it } from 'vitest'
import { percentOf, probabilityOf } from '../../../../../src/tools/console/app/parts/words.ts'
import { aimAt, aimWords } from '../../../../../src/tools/console/app/dev/callMark.ts'
import type { LogLine } from '../../../../../src/testing/local/observe/event.ts'
import { thrownText } from '../../../../../src/tools/console/reply.ts'
import { endingOf, thrownOf } from '../../../../../src/tools/console/app/dev/ending.ts'
import { newActivity } from '../../../../../src/tools/console/app/stream/activity.ts'
import { begun, ended } from '../stream/events.ts'

it('a probability is a percentage without the noise of fractions', () => {
  expect([0.07, 0.05, 1, undefined].map(percentOf)).toEqual([7, 5, 100, 0])
  expect([7, 250, -1, Number.NaN].map(probabilityOf)).toEqual([0.07, 1, 0, 0])
})

it('a kill is aimed by the effect of a call, and by its action', () => {
  expect(aimAt({ action: 'UpdateItem', effect: undefined }, [])).toEqual({ action: 'UpdateItem' })
  const aim = { ...aimAt({ action: 'UpdateItem', effect: 'reserve' }, []), when: 'before' } as const
  expect(aimWords(aim)).toBe('before its next call UpdateItem of reserve')
  expect(aimWords({})).toBe('after its next call')
})

it('of calls that are alike, the one that is meant is aimed at', () => {
  const all = ['claim', 'charge', 'charge'].map((effect) => ({ action: 'UpdateItem', effect }))
  expect(all.map((each) => aimAt(each, all).nth)).toEqual([undefined, undefined, 2])
  expect(aimWords({ action: 'UpdateItem', effect: 'charge', nth: 2 })).toBe(
    'after call number 2 that is UpdateItem of charge',
  )
})

it.each([
  [{ outcome: 'answered' }, 'done'],
  [{ outcome: 'answered', failures: ['m-1'] }, '1 of 3 retried later'],
  [{ outcome: 'killed' }, 'killed'],
  [{ outcome: 'timedOut' }, 'timed out'],
  [{ outcome: 'failed' }, 'failed'],
] as const)('an invocation that ended %j: %s', (given, word) => {
  const activity = newActivity()
  const messages = [1, 2, 3].map((at) => ({ messageId: `m-${at}`, receiveCount: 1 }))
  activity.take({ ...begun(1), messages })
  expect(activity.invocations.map((each) => endingOf(each).word)).toEqual(['in progress'])
  activity.take(ended(1, given))
  expect(activity.invocations.map((each) => endingOf(each).word)).toEqual([word])
})

const failed = (message: string): LogLine => ({
  type: 'log',
  at: 1,
  level: 'ERROR',
  message,
  queue: 'orders',
  function: 'worker',
  invocation: 1,
  awsRequestId: '1',
  fields: {
    error: 'TypeError: no tariff',
    stack:
      'at node:internal/x:1:1\nat ship (file:///shop/handlers.ts:12:9)\nat run (/shop/run.ts:1:1)',
    uniquerequestid: 'r1',
  },
})

it.each([
  ['failed for good, will be dead-lettered', 1, 'bad', 'dead-lettered'],
  ['failed, will be retried', 1, 'warn', 'retried later'],
  ['dead-lettered without a run', 2, 'bad', '1 of 2 dead-lettered'],
  ['something else', 1, 'good', 'done'],
] as const)(
  'a handler that threw (%s) is not done, though SQS may delete',
  (said, all, tone, word) => {
    const activity = newActivity()
    activity.take(begun(1, 0, all))
    activity.take(failed(said))
    activity.take(ended(1))
    const [invocation] = activity.invocations
    if (invocation === undefined) throw new Error('none')
    expect(endingOf(invocation)).toMatchObject({ tone, word })
    expect(thrownOf(invocation).map(thrownText)).toEqual(
      tone === 'good' ? [] : ['TypeError: no tariff at handlers.ts:12:9'],
    )
  },
)
