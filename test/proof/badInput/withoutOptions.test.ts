import * as lineclear from 'lineclear'
import * as dynamodb from 'lineclear/dynamodb'
import * as s3 from 'lineclear/s3'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'

/** Of each entry that functions are made with: what is called, and not a class. */
const MAKERS = Object.entries({ ...lineclear, ...dynamodb, ...s3 }).filter(
  ([name, value]) => typeof value === 'function' && /^[a-z]/.test(name),
)

/** What is thrown, or what a promise is rejected with. */
async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}

const BAD = [[], [undefined], [null], ['a text'], [5], [memoryStore(), null], [memoryStore(), 5]]

it.each(MAKERS.filter(([name]) => name !== 'readChangeWrite'))(
  '%s without its options says what it expects',
  async (_, make) => {
    for (const given of BAD) {
      const failure = await failureOf(() => Reflect.apply(make as () => unknown, undefined, given))
      expect(failure).not.toBeInstanceOf(TypeError)
    }
  },
)

it('thenEnqueue without a place says what it expects', async () => {
  const { thenEnqueue } = lineclear.onceForever({ store: memoryStore(), name: 'callbacks' })
  const call = (): unknown => Reflect.apply(thenEnqueue, undefined, ['tx-1', {}])
  expect(await failureOf(call)).toMatchObject({
    message: 'thenEnqueue: expected an object of options; got nothing',
  })
})

it('a lock without its caller says what it expects', async () => {
  const { begin } = lineclear.lockTokens({ store: memoryStore(), name: 'refunds' })
  for (const lockedBy of [undefined, null, {}]) {
    const call = (): unknown => Reflect.apply(begin, undefined, ['r-1', lockedBy, 1_000])
    expect(await failureOf(call)).toMatchObject({ code: 'CONFIG', message: /lockedBy/ })
  }
})

it('a delay that grows refuses a part that it does not know', () => {
  const call = (): unknown =>
    Reflect.apply(lineclear.recordHandler, undefined, [
      { name: 'orders', store: memoryStore(), retry: { delay: { initial: '5s' } } },
      () => undefined,
    ])
  expect(call).toThrow('retry.delay: "initial" is not known here')
})
