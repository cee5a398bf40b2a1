import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { recordHandler, type Store } from 'lineclear'
import { memoryStore, sqsRecord } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/library/base/kindOf.ts'
import { wrap, wrapCompressed } from '../../src/library/protocol/record/envelope/wrapper.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** How many are still in memory. What was just looked at stays until the turn ends. */
async function keptOf(payloads: readonly WeakRef<object>[]): Promise<number> {
  await setImmediate()
  collect()
  return payloads.filter((each) => each.deref() !== undefined).length
}

/** Chunks of claims: the third waits until all of the others have run, and is not answered. */
const CHUNKS = 25 + 100

describe('the payload of a record that has run is not kept', () => {
  it('while its end is being stored and the next records are being claimed', async () => {
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
    // On a busy machine the last handlers may have run, and their ends not be on their way yet.
    await expect.poll(() => keptOf(payloads)).toBe(0)
    answer()
    expect(await response).toEqual({ batchItemFailures: [] })
  })
})

it('compressed records are opened a few at a time, right before their claim', async () => {
  const store = memoryStore()
  const chunks: number[] = []
  const create: Store['create'] = (items) => {
    chunks.push(items.length)
    return store.create(items)
  }
  const options = { name: 'orders', store: { ...store, create }, logger: quietLogger() }
  const handler = recordHandler(options, () => {})
  const attributes = { lineclear: '{"format":1,"wrapped":true,"resendNumber":0,"hops":0}' }
  const body = wrapCompressed('{}', {})
  const Records = Array.from({ length: 9 }, () => sqsRecord(body, { attributes }))
  expect(await handler({ Records }, lambdaContext())).toEqual({ batchItemFailures: [] })
  expect(chunks).toEqual([4, 4, 1])
})

it('what is in a wrapper is no longer than a message can be', async () => {
  const [longest = '', longer = ''] = [1_048_576, 1_048_577].map((length) => '"'.repeat(length))
  const bodies = [longest, longer].map((text) => wrapCompressed(text, {}))
  const ran = await textsOf(bodies)
  expect([ran[0] === longest, ran[1] === bodies[1]]).toEqual([true, true])
})

it('nor is more than that decompressed', async () => {
  const padded = gzipSync(wrap('{}', {}) + ' '.repeat(3_000_000)).toString('base64')
  const body = `lineclear gzip ${padded}`
  expect(await textsOf([body])).toEqual([body])
})

/** What a consumer of texts gets of wrapped messages: those that cannot be unwrapped as they are. */
async function textsOf(bodies: readonly string[]): Promise<readonly unknown[]> {
  const ran: unknown[] = []
  const options = {
    name: 'orders',
    store: memoryStore(),
    logger: quietLogger(),
    parse: 'text',
  } as const
  const handler = recordHandler(options, (payload: unknown) => void ran.push(payload))
  const attributes = { lineclear: '{"format":1,"wrapped":true,"resendNumber":0,"hops":0}' }
  const Records = bodies.map((body) => sqsRecord(body, { attributes }))
  await handler({ Records }, lambdaContext())
  return ran
}

/** Claims two chunks; the third, of one record, and all ends are answered when the test says so. */
function heldBack() {
  const store = memoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const calls = { update: 0 }
  const late: Pick<Store, 'create' | 'update'> = {
    async create(items) {
      if (items.length === 1) await promise
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
