import { describe, expect, it } from 'vitest'
import { decideStage, decideStart } from '../../../src/claim/stage/decideStage.ts'
import { type Given, idle, NOW, request, running } from './given.ts'

const ORDERS = ['newest', 'every'] as const
const other = { newest: 'every', every: 'newest' } as const
const refused = { kind: 'refuse', because: 'order' }

describe.each(ORDERS)('a record that began under the order %s', (order) => {
  const given: Given = { order }
  const changed = other[order]
  it.each([
    ['its own request', {}],
    ['a newer request', { uniqueRequestId: 'r5', sentAt: 6 }],
    ['an older request', { uniqueRequestId: 'r3', sentAt: 4 }],
    ['a dead letter', { death: 3 }],
    ['what its schema refuses', { refused: true }],
  ])('refuses %s of a flow that has the other order by now, idle or not', (_what, more) => {
    for (const record of [idle(given), running(given)]) {
      const message = request({ order: changed, ...more })
      expect(decideStart(record, message, NOW)).toEqual(refused)
      expect(decideStage(record, message, NOW)).toEqual(refused)
    }
  })

  it('takes them when the order was set back', () => {
    expect(decideStart(running(given), request({ order }), NOW).kind).toBe('begin')
    expect(decideStage(running(given), request({ order }), NOW).kind).toBe('begin')
  })
})
