import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { recordHandler, type Store } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { describe, expect, test } from 'vitest'
import { isObject } from '../../src/kindOf.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Chunks of claims: the third waits until all of the others have run, and is not answered. */
const CHUNKS = 25 + 100

describe('the payload of a record that has run is not kept', () => {
  test('while its end is being stored and the next records are being claimed', async () => {
    const { store, answer, calls } = heldBack()
    const payloads: WeakRef<object>[] = []
    const handler = recordHandler(
      { name: 'orders', store, logger: quietLogger(), concurrency: 1 },
      (payload: unknown) => {
        if (isObject(payload)) payloads.push(new WeakRef(payload))
      },
    )
    const Records = Array.from({ length: CHUNKS + 1 }, (_, nth) => sqsRecord({ nth }))
    const response = handler({ Records }, lambdaContext())
    await expect.poll(() => [payloads.length, calls.update]).toEqual([CHUNKS, CHUNKS / 25])
    await setImmediate()
    collect()
    expect(payloads.filter((each) => each.deref() !== undefined)).toHaveLength(0)
    answer()
    expect(await response).toEqual({ batchItemFailures: [] })
  })
})

/** Claims two chunks; what comes then is made, and answered when the test says so. */
function heldBack() {
  const store = memoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const calls = { create: 0, update: 0 }
  const late: Pick<Store, 'create' | 'update'> = {
    async create(items) {
      calls.create += 1
      if (calls.create > 2) await promise
      return store.create(items)
    },
    async update(updates) {
      calls.update += 1
      await promise
      return store.update(updates)
    },
  }
  return { store: { ...store, ...late }, answer: resolve, calls }
}
