import { describe, expect, it } from 'vitest'
import {
  type BulkPlanAnswer,
  standingOf,
} from '../../../../src/tools/console/app/pages/history/entries.ts'
import { hasProgress, toneOf } from '../../../../src/tools/console/app/pages/history/entries.ts'

const NOW = Date.parse('2026-01-31T06:00:00.000Z')

function operation(more: Partial<BulkPlanAnswer>): BulkPlanAnswer {
  return {
    plan: '7f3a91c2',
    action: 'dlq redrive',
    args: ['dlq', 'redrive', 'dead'],
    planned: 12,
    state: 'planned',
    done: 0,
    failed: 0,
    forced: false,
    typed: false,
    at: '2026-01-31T05:59:00.000Z',
    by: 'ann',
    ...more,
  }
}

describe('where a plan stands', () => {
  it.each<[string, Partial<BulkPlanAnswer>, object]>([
    ['not begun', {}, { status: 'planned', left: 12, canGoOn: true }],
    [
      'runs',
      { state: 'running', done: 5, runsUntil: '2026-01-31T06:00:00.001Z' },
      { status: 'running', left: 7, canGoOn: false },
    ],
    [
      'its command was killed',
      { state: 'running', done: 5, runsUntil: '2026-01-31T06:00:00.000Z' },
      { status: 'killed', left: 7, canGoOn: true },
    ],
    ['nobody runs it', { state: 'running', done: 5 }, { status: 'killed', canGoOn: true }],
    ['paused', { state: 'paused', done: 5 }, { left: 7, canGoOn: true }],
    ['stopped', { state: 'stopped', done: 13 }, { left: 0, canGoOn: true }],
    ['done', { state: 'done', done: 11 }, { status: 'done', left: 1, canGoOn: false }],
    [
      'done, and some have failed again',
      { state: 'done', done: 12, failed: 1 },
      { status: 'failed again', left: 0, canGoOn: false },
    ],
  ])('%s', (_name, more, standing) => {
    expect(standingOf(operation(more), NOW)).toMatchObject(standing)
  })
})

it.each([
  ['dlq redrive', 'dead', true],
  ['dlq edit', 'dead order-1', false],
  ['decide done', 'group 1234abcd', true],
  ['decide done', 'orders/group 1', false],
])('the plan of %s of %s has a page: %s', (action, id, has) => {
  const rest = { at: '', by: '', why: '', plan: '', command: '', result: '' }
  expect(hasProgress({ ...rest, action, id })).toBe(has)
})

it.each([
  ['applied', 'good'],
  ['incomplete', 'warn'],
  ['begun', 'bad'],
  ['failed again', 'warn'],
  ['another plan', 'warn'],
])('the result %s is %s', (result, tone) => {
  expect(toneOf(result)).toBe(tone)
})
