import { documented } from '../proof/formats/page.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CircuitBreaker, recordHandler, type Store } from 'lineclear'
import { memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

const NONE_STAYS = { batchItemFailures: [] }

function numbers(count: number): readonly { readonly n: number }[] {
  return Array.from({ length: count }, (_, n) => ({ n }))
}

function consumer(
  options: {
    readonly store?: Store
    readonly circuitBreaker?: CircuitBreaker
    readonly schema?: typeof Numbered
  } = {},
) {
  const runs: number[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store: documented(memoryStore()),
      logger: quietLogger(),
      schema: Numbered,
      ...options,
    },
    ({ n }, { envelope }) => void runs.push(Number(envelope.attributes['nth']?.value ?? n)),
  )
  return { handler, runs }
}

const Numbered = z.object({ n: z.number() })

/** Counts the calls. The answer to the second write of new tokens is held back. */
function counted() {
  const store = documented(memoryStore())
  const { promise, resolve } = Promise.withResolvers<void>()
  const calls = { create: 0, read: 0 }
  const counting: Pick<Store, 'create' | 'read'> = {
    async create(items) {
      calls.create += 1
      if (calls.create === 2) await promise
      return store.create(items)
    },
    read(keys, how) {
      calls.read += 1
      return store.read(keys, how)
    },
  }
  return { store: { ...store, ...counting }, calls, answer: resolve }
}

it('handlers start when the first 25 records are claimed, while the others are being claimed', async () => {
  const { store, calls, answer } = counted()
  const { handler, runs } = consumer({ store })
  const response = handler(sqsEvent(...numbers(100)), lambdaContext())
  await expect.poll(() => [runs.length, calls.create]).toEqual([25, 2])
  answer()
  expect(await response).toEqual(NONE_STAYS)
  expect(runs).toEqual(numbers(100).map(({ n }) => n))
})

it('a hundred records of which one was delivered before are claimed by one write and one read', async () => {
  const { store, calls, answer } = counted()
  const { handler, runs } = consumer({ store })
  const before = sqsRecord({ n: 99 })
  await handler(sqsEvent(before), lambdaContext())
  Object.assign(calls, { create: 0, read: 0 })
  answer()
  const again = { ...before, attributes: { ...before.attributes, ApproximateReceiveCount: '2' } }
  await handler(sqsEvent(...numbers(99), again), lambdaContext())
  expect([runs.length, calls]).toEqual([100, { create: 1, read: 1 }])
})

it('of two records with one id the earlier one runs, although a later chunk is read sooner', async () => {
  const slowly = async ({ n }: { readonly n: number }): Promise<boolean> => {
    if (n === 1) await sleep(20)
    return true
  }
  const { handler, runs } = consumer({ schema: Numbered.refine(slowly) })
  const same = (nth: number) =>
    sqsRecord({ n: 0 }, { attributes: { uniquerequestid: 'same', nth } })
  const others = numbers(40).slice(1)
  await handler(sqsEvent(same(0), ...others, same(40)), lambdaContext())
  expect(runs.toSorted((one, other) => one - other)).toEqual([0, ...others.map(({ n }) => n)])
})

it('the circuit breaker is asked about one chunk after the other', async () => {
  let [asking, most] = [0, 0]
  const admit = async (wanted: number) => {
    most = Math.max(most, (asking += 1))
    await sleep(5)
    asking -= 1
    return { admitted: wanted, probe: undefined, until: 0 }
  }
  const gate = {
    admit,
    unused: () => {},
    heldUntil: () => undefined,
    succeeded: async () => {},
    failed: async () => undefined,
  }
  const { handler, runs } = consumer({ circuitBreaker: { openFor: () => gate } })
  expect(await handler(sqsEvent(...numbers(100)), lambdaContext())).toEqual(NONE_STAYS)
  expect([runs.length, most]).toEqual([100, 1])
})
