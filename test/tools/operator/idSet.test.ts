import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { idSetBuilder, readIdSet } from '../../../src/tools/operator/dlq/idSet.ts'
import { idSetOf } from './idSetOf.ts'

it('40,000 ids take eight items, and are the same set in any order and after reading', () => {
  const ids = Array.from({ length: 40_000 }, () => randomUUID())
  const set = idSetOf(ids)
  const texts = set.texts()
  expect(texts).toHaveLength(8)
  for (const text of texts) expect(text.length).toBeLessThan(350_000)
  const read = readIdSet(texts)
  expect(read?.size).toBe(40_000)
  expect(ids.every((id) => read?.has(id) === true)).toBe(true)
  expect(Array.from({ length: 1_000 }, () => randomUUID()).some((id) => set.has(id))).toBe(false)
  expect(idSetOf(ids.toReversed()).fingerprint()).toBe(read?.fingerprint())
  expect(idSetOf(ids.slice(1)).fingerprint()).not.toBe(set.fingerprint())
})

it('an id that is added twice is in it once; an empty set has no text', () => {
  expect(idSetOf(['a', 'a', 'b']).size).toBe(2)
  expect(idSetOf([]).texts()).toEqual([])
  expect(readIdSet([])?.has('a')).toBe(false)
})

it('names its dead letters again, whatever their senders have called them', () => {
  const builder = idSetBuilder()
  const letters = [
    { messageId: 'a', uniqueRequestId: 'line\nbreak "ü' },
    { messageId: 'b' },
    { messageId: 'c', uniqueRequestId: 'x'.repeat(300_000) },
  ]
  for (const each of letters) builder.add(each)
  const texts = builder.finish().texts()
  expect(texts).toHaveLength(2)
  expect([...(readIdSet(texts)?.letters() ?? [])]).toEqual(letters)
})

it('has another name when its dead letters would go elsewhere, and says where each goes', () => {
  const to = (url: string | undefined) => {
    const builder = idSetBuilder()
    builder.add({ messageId: 'a', ...(url !== undefined && { to: url }) })
    return builder.finish()
  }
  const names = [to(undefined), to('https://q/1'), to('https://q/2')].map((set) =>
    set.fingerprint(),
  )
  expect(new Set(names).size).toBe(3)
  expect(names[0]).toBe(idSetOf(['a']).fingerprint())
  expect(readIdSet(to('https://q/1').texts())?.destination('a')).toBe('https://q/1')
})

it('a damaged text is no set', () => {
  expect(readIdSet(['AAAA'])).toBeUndefined()
})
