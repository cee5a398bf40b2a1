import { documented } from '../../proof/formats/page.ts'
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { loadPlan, savePlan } from '../../../src/tools/operator/dlq/operationPlan.ts'
import { memoryStore } from '../../../src/library/adapters/store/memory/memoryStore.ts'

async function kept(entries: readonly object[]) {
  const store = documented(memoryStore())
  const operation = { action: 'dlq redrive', args: ['dlq', 'redrive', 'dead'], by: 'ann' }
  const name = await savePlan(store, operation, entries, 0)
  const texts = store.items().flatMap(({ ids }) => (typeof ids === 'string' ? ids : []))
  return { store, name, texts, load: async () => loadPlan<object>(store, name) }
}

it('40,000 dead letters take nine items, and have one name in any order', async () => {
  const letters = Array.from({ length: 40_000 }, () => ({ messageId: randomUUID() }))
  const { texts, load, name } = await kept(letters)
  expect(texts).toHaveLength(9)
  for (const text of texts) expect(text.length).toBeLessThan(350_000)
  expect(new Set((await load())?.map((each) => JSON.stringify(each)))).toEqual(
    new Set(letters.map((each) => JSON.stringify(each))),
  )
  expect((await kept(letters.toReversed())).name).toBe(name)
  expect((await kept(letters.slice(1))).name).not.toBe(name)
})

it('what is added twice is in it once; of nothing there is no text', async () => {
  const { load } = await kept([{ messageId: 'a' }, { messageId: 'a' }, { messageId: 'b' }])
  expect(await load()).toEqual([{ messageId: 'a' }, { messageId: 'b' }])
  const empty = await kept([])
  expect([empty.texts, await empty.load()]).toEqual([[], []])
})

it('names its entries again, whatever their senders have called them', async () => {
  const letters = [
    { messageId: 'a', uniqueRequestId: 'line\nbreak "ü' },
    { messageId: 'b' },
    { messageId: 'c', uniqueRequestId: 'x'.repeat(300_000) },
  ]
  const { texts, load } = await kept(letters)
  expect(texts).toHaveLength(2)
  expect(await load()).toEqual(letters)
})

it('has another name when its dead letters would go elsewhere', async () => {
  const to = async (url: string | undefined) => (await kept([{ messageId: 'a', to: url }])).name
  const names = [await to(undefined), await to('https://q/1'), await to('https://q/2')]
  expect(new Set(names).size).toBe(3)
})

it('is no plan when a part of it is missing, damaged or another one', async () => {
  const letters = Array.from({ length: 10_000 }, () => ({ messageId: randomUUID() }))
  for (const ids of ['', 'AAAA', (await kept(letters)).texts[0] ?? '']) {
    const { store, name, load } = await kept(letters)
    expect(await load()).toHaveLength(10_000)
    const key = { pk: `operation#${name}`, sk: 'ids#0001' }
    await store.update([{ key, where: [], set: { ids } }])
    expect(await load()).toBeUndefined()
  }
})
