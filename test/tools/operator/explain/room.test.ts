import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../../src/library/entries/sweeper/address.ts'
import { explainRequest } from '../../../../src/tools/operator/explain/explain.ts'
import type { Item } from '../../../../src/library/protocol/store/store.ts'
import { NOW, SAMPLES } from './samples.ts'

const marks = (count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_none, n) => `book:${n}`.padStart(200, 'x')))

function explained(item: Item, more: Item) {
  const full = { ...item, ...more }
  const [first] = explainRequest({ pk: itemKey(item).pk, items: [full] }, NOW)
  return first
}

describe.each([
  ['a request that waits', SAMPLES.request.waiting[0]],
  ['a dead request', SAMPLES.request.error[0]],
  ['a key', SAMPLES.key.lost[0]],
  ['a run of a flow', SAMPLES.flow.waiting[0]],
  ['a dead run', SAMPLES.deadRun.dead[0]],
])('the record of %s', (_what, item) => {
  it('is explained with its size and what to do when it is nearly full', () => {
    const text = explained(item, { applied: marks(1_500) })?.lines.join('\n')
    expect(text).toMatch(
      /its record is nearly full: 30\d{4} of 409600 bytes; names and results of its effects have 300\d{3} of at most 344064/,
    )
    expect(text).toMatch(/ctx\.send.*s3Objects/)
  })

  it('that is filled by something else says so, too', () => {
    const text = explained(item, { stack: 'x'.repeat(400_000) })?.lines.join('\n')
    expect(text).toMatch(/nearly full: 40\d{4} of 409600 bytes/)
  })

  it('is not mentioned while there is much room', () => {
    expect(explained(item, { applied: marks(1_000) })?.lines.join('\n')).not.toContain('full')
  })
})

it('the room of what has ended does not matter', () => {
  const [item] = SAMPLES.request.done
  expect(explained(item, { applied: marks(1_500) })?.lines.join('\n')).not.toContain('full')
})
