import { describe, expect, it } from 'vitest'
import {
  externalIdsThatFit,
  readExternalIds,
} from '../../../src/library/protocol/claim/awaiting/saveAwaiting.ts'
import type { Item } from '../../../src/library/protocol/store/store.ts'

/** Bytes in one write unit of DynamoDB. */
const UNIT = 1_024

/** As DynamoDB counts it, with the longest numbers. */
function sizeOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum + Buffer.byteLength(name) + (typeof value === 'string' ? Buffer.byteLength(value) : 8),
    0,
  )
}

/** A step of so many bytes in all. */
function stepOf(bytes: number): Item {
  const rest = { pk: 'flow#trip/1', sk: 'await#found', count: 0, until: 1 }
  return { ...rest, text: 'x'.repeat(bytes - sizeOf(rest) - 'text'.length) }
}

/** When it has all its answers, and has ended. */
function grown(item: Item, ids: readonly string[]): number {
  return sizeOf(item) + 34 * ids.length + 48
}

describe('external ids', () => {
  it('are kept where they fit, and read again', () => {
    const ids = ['q-1', 'ümläut', 'with "quotes"']
    expect(readExternalIds(externalIdsThatFit(stepOf(400), ids))).toEqual(ids)
  })

  it('never cost another write unit, now or with the answers, whatever the size of the step', () => {
    let kept = 0
    for (let bytes = 100; bytes < 3 * UNIT; bytes += 7) {
      for (const ids of [['q'], ['ü'.repeat(100)], ['a'.repeat(256), 'b'.repeat(256)]]) {
        const item = stepOf(bytes)
        const extra = externalIdsThatFit(item, ids)
        if (Object.keys(extra).length === 0) continue
        kept += 1
        const whole = { ...item, ...extra }
        expect(Math.ceil(sizeOf(whole) / UNIT)).toBe(Math.ceil(sizeOf(item) / UNIT))
        expect(Math.ceil(grown(whole, ids) / UNIT)).toBe(Math.ceil(sizeOf(item) / UNIT))
      }
    }
    expect(kept).toBeGreaterThan(500)
  })

  it('are left out at the edge of a unit', () => {
    expect(externalIdsThatFit(stepOf(UNIT - 20), ['q-1'])).toEqual({})
  })

  it.each<[string, Item]>([
    ['absent', {}],
    ['no JSON', { externalIds: '[' }],
    ['no list', { externalIds: '{"a":1}' }],
    ['no text', { externalIds: 5 }],
  ])('are none when they are %s', (_, item) => {
    expect(readExternalIds(item)).toEqual([])
  })
})
