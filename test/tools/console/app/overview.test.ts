import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../../src/tools/console/app/answers.ts'
import {
  beginningOf,
  headline,
  sortFindings,
  toneOfAll,
} from '../../../../src/tools/console/app/overview/findings.ts'
import { filterIn } from '../../../../src/tools/console/app/tasks/views.ts'

const finding = (kind: Finding['kind'], severity: Finding['severity'], number = 1): Finding => ({
  kind,
  severity,
  number,
  of: 'orders',
  what: '',
  pace: '',
  next: '',
  advice: [],
  atLeast: false,
  ...(kind === 'dead letters' && { onQueues: true }),
})

describe('the overview', () => {
  it('takes the newest of the table, and keeps the last look at the queues', () => {
    const whole = [finding('unknown outcome', 'bad'), finding('dead letters', 'bad', 5)]
    const table = [finding('unknown outcome', 'bad', 2), finding('stalled', 'warn')]
    const { bad, warn } = sortFindings(whole, table)
    expect(bad.map(({ kind, number }) => [kind, number])).toEqual([
      ['unknown outcome', 2],
      ['dead letters', 5],
    ])
    expect(warn.map(({ kind }) => kind)).toEqual(['stalled'])
  })

  it('says what waits, and what it could not look at', () => {
    const none = sortFindings([finding('retrying', 'note')], undefined)
    expect(headline(none, { unread: [] })).toBe('Nothing waits for an operator')
    expect(headline(none, { unread: ['queues'] })).toMatch('in what could be read')
    expect([[], ['queues']].map((unread) => toneOfAll(none, { unread }))).toEqual(['good', 'warn'])
    const late = sortFindings([finding('stalled', 'warn')], undefined)
    expect(toneOfAll(late, { unread: [] })).toBe('warn')
    const some = sortFindings([finding('dead', 'bad', 3), finding('stalled', 'warn')], undefined)
    expect(headline(some, { unread: [] })).toBe('3 wait for an operator, 1 overdue or stalled')
    const sample = { ...finding('dead', 'bad', 100), atLeast: true }
    expect(headline(sortFindings([sample], undefined), { unread: [] })).toBe(
      '100 or more wait for an operator',
    )
    const many = sortFindings([finding('dead', 'bad', 99_000)], undefined)
    expect(headline(many, { unread: [] })).toBe('99,000 wait for an operator')
  })

  it('counts a dead letter and its record once, also beside a newer look at the table', () => {
    const letters = { ...finding('dead letters', 'bad', 11), since: '2026-01-01T00:00:00.000Z' }
    const named = (number: number) =>
      Array.from({ length: number }, (_, at) => ({ name: `record-${at}` }))
    const stopped = { ...finding('stopped', 'bad', 12), records: named(12) }
    const table = [stopped, finding('unknown outcome', 'bad', 2)]
    const sorted = sortFindings([{ ...letters, records: named(11) }], table)
    expect(sorted.bad.map(({ kind, number }) => [kind, number])).toEqual([
      ['unknown outcome', 2],
      ['dead letters', 11],
      ['stopped', 1],
    ])
    expect(headline(sorted, { unread: [] })).toBe('14 wait for an operator')
  })

  it('does not add dead letters that nobody could look at to what may be their records', () => {
    const sorted = sortFindings(
      [finding('stopped', 'bad', 9), finding('dead letters', 'bad', 9)],
      [finding('stopped', 'bad', 9)],
    )
    expect(headline(sorted, { unread: [] })).toBe(
      '9 wait for an operator, 9 dead letters could not be looked at',
    )
  })

  it('says since when, as far as it is known', () => {
    const at = (since: string) => ({ ...finding('dead', 'bad'), since })
    const first = at('2026-01-01T00:00:00.000Z')
    const all = [at('2026-01-02T00:00:00.000Z'), first, finding('backlog', 'warn')]
    expect(beginningOf(sortFindings(all, undefined))).toEqual({ first, unknown: 1 })
    const unknown = sortFindings([finding('backlog', 'warn')], undefined)
    expect(beginningOf(unknown)).toEqual({ first: undefined, unknown: 1 })
    const note = { ...finding('retrying', 'note'), since: first.since }
    expect(beginningOf(sortFindings([note], undefined))).toBeUndefined()
  })

  it('calls overdue only what is', () => {
    const warned = [
      finding('overdue', 'warn', 2),
      finding('backlog', 'warn', 12_000),
      finding('sweeper', 'warn'),
    ]
    expect(headline(sortFindings(warned, undefined), { unread: [] })).toBe(
      '2 overdue or stalled, 12,000 messages pile up, 1 others to look at',
    )
  })

  it('does not call messages without a consumer requests that wait for an operator', () => {
    const sorted = sortFindings(
      [finding('no consumer', 'bad', 400), finding('stopped', 'bad', 2)],
      undefined,
    )
    expect(headline(sorted, { unread: [] })).toBe(
      '2 wait for an operator, 400 messages have no consumer that completes them',
    )
  })
})

describe('what the listing asks for', () => {
  it('is, of what is overdue, what should have gone on by itself: as many as the view counts', () => {
    const status = ['inProgress', 'running', 'dying', 'accepted', 'later', 'awaiting']
    expect(filterIn({ due: '1', consumer: 'orders' })).toMatchObject({
      due: '1',
      consumer: 'orders',
      status,
    })
  })

  it('is else what the URL says', () => {
    expect(filterIn({ due: '1', status: 'dead' })).toMatchObject({ status: 'dead' })
    expect(filterIn({ group: 'x' })).toEqual({})
  })
})
