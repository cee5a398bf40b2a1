import { idempotent, invocationHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

/** A key would count as done for ever, and its work would not have been waited for, or not be there for later callers. */
const UNFINISHED: readonly (readonly [string, () => unknown])[] = [
  ['a function', () => () => {}],
  ['a generator', () => (async function* () {})()],
  ['a generator', () => (function* () {})()],
  ['a list of promises', () => [Promise.resolve(1), Promise.resolve(2)]],
]

it.each(UNFINISHED)(
  '%s, %#, is no result of idempotent: every caller gets an error, and nothing runs twice',
  async (what, make) => {
    const fn = vi.fn<(input: { readonly id: string }) => unknown>(make)
    const call = idempotent(
      { store: memoryStore(), name: 'refunds', key: ({ id }) => id, logger: quietLogger() },
      fn,
    )
    const error = { code: 'TERMINAL', message: expect.stringContaining(`returned ${what}`) }
    await expect(call({ id: 'r-1' })).rejects.toMatchObject(error)
    await expect(call({ id: 'r-1' })).rejects.toMatchObject(error)
    expect(fn).toHaveBeenCalledOnce()
  },
)

it('nor of invocationHandler', async () => {
  const call = invocationHandler(
    { name: 'nightly', store: memoryStore(), key: () => 'n-1', logger: quietLogger() },
    async (): Promise<unknown> => [Promise.resolve(1)],
  )
  await expect(call({}, lambdaContext())).rejects.toThrow('a list of promises: await Promise.all')
})
