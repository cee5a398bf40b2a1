import { describe, expect, it } from 'vitest'
import type { LogLine } from '../../../../../src/testing/local/observe/event.ts'
import { newTally, type Tallied } from '../../../../../src/tools/console/app/stream/tally.ts'
import { begun, call, ended } from './events.ts'

const MINUTE = 60_000
const NOW = 60 * MINUTE
const OF: readonly Tallied[] = ['done', 'again', 'retries', 'dead']

function log(message: string): LogLine {
  return { type: 'log', at: NOW, level: 'INFO', message, fields: {} }
}

function open() {
  const tally = newTally()
  const sum = (of: Tallied, now: number): number =>
    tally.last(of, now).reduce((all, each) => all + each, 0)
  return { tally, sums: (now = NOW) => OF.map((of) => sum(of, now)) }
}

describe('the tally', () => {
  it('counts as done what left its queue and was not replaced', () => {
    const { tally, sums } = open()
    tally.take(begun(1, NOW, 10))
    const send = { action: 'SendMessageBatch', to: 'orders', at: NOW }
    tally.take(call(1, { ...send, words: 'sends a retry 3 messages to orders' }))
    tally.take(call(1, { ...send, words: 'sends a dead letter to dead', to: 'dead' }))
    tally.take(ended(1, { at: NOW, failures: ['m-1', 'm-2'] }))
    expect(sums()).toEqual([4, 0, 5, 1])
  })

  it('does not count what was tried and did not happen, nor other sends', () => {
    const { tally, sums } = open()
    tally.take(begun(1, NOW, 1))
    const send = { action: 'SendMessage', to: 'dead', at: NOW }
    tally.take(call(1, { ...send, words: 'sends a dead letter to dead', outcome: 'failed' }))
    tally.take(call(1, { ...send, words: 'sends to mails', to: 'mails' }))
    tally.take(ended(1, { at: NOW }))
    expect(sums()).toEqual([1, 0, 0, 0])
  })

  it('counts duplicates by the line that their function logs', () => {
    const { tally } = open()
    tally.take(log('dropped: a duplicate of a finished request'))
    tally.take(log('dropped: a duplicate of a dead-lettered request'))
    tally.take(log('dropped: its request was reset'))
    tally.take(log('a handler: dropped: a duplicate of a finished request'))
    expect(tally.last('duplicates', NOW).at(-1)).toBe(2)
  })

  it('counts what comes again', () => {
    const { tally, sums } = open()
    const messages = [1, 2, 5].map((receiveCount) => ({ messageId: 'm', receiveCount }))
    tally.take({ ...begun(1, NOW), messages })
    expect(sums()).toEqual([0, 2, 0, 0])
  })

  it('forgets what is older than a quarter of an hour, and says since when it counts', () => {
    const { tally, sums } = open()
    expect(tally.since).toBeUndefined()
    // It was up before: nothing of that time is counted.
    const mapping = { queue: 'orders', function: 'worker', state: 'started' } as const
    tally.take({ type: 'mapping', at: NOW - MINUTE, ...mapping })
    tally.take(begun(1, NOW))
    tally.take(ended(1, { at: NOW }))
    expect(tally.since).toBe(NOW)
    expect(tally.last('done', NOW)).toHaveLength(30)
    expect(tally.last('done', NOW).at(-1)).toBe(1)
    expect(sums(NOW + 14 * MINUTE)[0]).toBe(1)
    expect(sums(NOW + 15 * MINUTE)[0]).toBe(0)
    tally.clear()
    expect([tally.since, ...sums()]).toEqual([undefined, 0, 0, 0, 0])
  })

  it('an end without its beginning counts nothing done', () => {
    const { tally, sums } = open()
    tally.take(ended(7, { at: NOW, failures: [] }))
    expect(sums()).toEqual([0, 0, 0, 0])
  })
})
