import { idempotent, lockTokens, recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** As bytes they are the same: U+FFFD. */
const HALVES = ['\ud800', '\udfff']
const logger = quietLogger()

it('ids that differ in half a character are two requests', async () => {
  const ran: unknown[] = []
  const handler = recordHandler(
    { name: 'orders', store: memoryStore(), logger, id: (payload) => String(payload) },
    (payload) => ran.push(payload),
  )
  await handler(sqsEvent(...HALVES.map((each) => JSON.stringify(each))), lambdaContext())
  expect(ran).toEqual(HALVES)
})

it('keys and payloads that differ in half a character are two', async () => {
  const options = { store: memoryStore(), name: 'calls', logger }
  const byKey = idempotent({ ...options, key: (id: string) => id }, async (id: string) => id)
  expect(await Promise.all(HALVES.map((each) => byKey(each)))).toEqual(HALVES)
  const byNumber = idempotent(
    { ...options, key: (n: number, _text: string) => n, payload: (_n, text) => text },
    async (_n: number, text: string) => text,
  )
  expect(await byNumber(1, HALVES[0] ?? '')).toBe(HALVES[0])
  await expect(byNumber(1, HALVES[1] ?? '')).rejects.toThrow('different payload')
})

it('keys that stand in the table as they are may not have half a character', async () => {
  const store = memoryStore()
  const plain = idempotent(
    { store, name: 'calls', logger, key: (id: string) => id, hash: 'plain' },
    async (id: string) => id,
  )
  await expect(plain('a\ud800')).rejects.toThrow('half a character')
  await expect(
    lockTokens({ store, name: 'default' }).begin('a\ud800', 'me', 1_000),
  ).rejects.toThrow('half a character')
  expect(store.items()).toEqual([])
})
