import { expect, it } from 'vitest'
import { readStageRecord } from '../../../src/library/protocol/claim/stage/stageRecord.ts'
import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { planFingerprint, type ChangePlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { planReset } from '../../../src/tools/operator/plan/planFlow.ts'
import { planReopen } from '../../../src/tools/operator/plan/planToken.ts'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'

const NOW = Date.UTC(2026, 0, 1)

const RUNNING: Item & StoreKey = {
  pk: 'flow#trip/k',
  sk: 'stage',
  process: 'newest',
  epoch: 1,
  fence: 3,
  uniquerequestid: 'r1',
  giveUpAt: NOW + 1_000,
  'stage:pack': 'settled on ship',
  'stage:ship': 'open 2 attempt.1 1735689600000 1',
}

const UNKNOWN: Item & StoreKey = {
  pk: 'lock#orders/r1',
  sk: 'token',
  status: 'unknown',
  attemptId: 'a',
  attempt: 2,
  fence: 7,
  leaseUntil: 5,
  'step:pay': 'start',
  'step:mail': 'start',
}

function planned<R>(record: R | undefined, plan: (record: R) => ChangePlan): string {
  const change = record === undefined ? undefined : plan(record)
  if (change?.kind !== 'change') throw new Error(change?.because ?? 'unreadable')
  return planFingerprint(change, [])
}

const reset = (item: Item & StoreKey) =>
  planned(readStageRecord(item), (record) => planReset(record, NOW))

const reopen = (item: Item & StoreKey) =>
  planned(readToken(item), (token) => planReopen(token, { notDone: ['mail', 'pay'] }, NOW))

it.each([
  ['a run', RUNNING, reset],
  ['a record with unknown calls', UNKNOWN, reopen],
])('a plan for %s has one name, in whatever order the attributes are read', (_, item, nameOf) => {
  const other = Object.fromEntries(Object.entries(item).toReversed()) as Item & StoreKey
  expect(nameOf(other)).toBe(nameOf(item))
})

it('another state has another name', () => {
  expect(reset({ ...RUNNING, fence: 4 })).not.toBe(reset(RUNNING))
})
