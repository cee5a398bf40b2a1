import { invocationHandler } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { clock } from './consumerHarness.ts'
import { type InvocationRow, INVOCATIONS } from './invocationRows.ts'

describe.each(Object.entries(INVOCATIONS))('%s', (_group, rows) => {
  it.each(rows)('$what', async ({ event, key, sentAt, end, text = '' }: InvocationRow) => {
    const store = memoryStore()
    const before = Object.keys(Object.prototype)
    let ran = 0
    const handler = invocationHandler(
      {
        name: 'invocations',
        store,
        tenant: 'none',
        clock,
        logger: quietLogger(),
        ...(key && { key }),
        ...(sentAt && { sentAt }),
      },
      async (_event: never, ctx) => {
        ran += 1
        await ctx.write('book', { TableName: 'sums', Key: { id: 'a' }, add: { count: 1 } })
        return { statusCode: 201 }
      },
    )
    for (const _time of ['first', 'again']) {
      const outcome = await outcomeOf(handler(event as never, lambdaContext()))
      expect(outcome.end).toBe(end === 'runs' ? 201 : end)
      expect(outcome.text).toMatch(new RegExp(text))
    }
    expect(ran).toBe(end === 'runs' ? 1 : 0)
    expect(store.items()).toHaveLength(end === 'runs' ? 1 : 0)
    expect(Object.keys(Object.prototype)).toEqual(before)
  })
})

async function outcomeOf(answer: Promise<unknown>): Promise<{ end: unknown; text: string }> {
  try {
    const given = (await answer) as { statusCode: number }
    return { end: given.statusCode, text: JSON.stringify(given) }
  } catch (error) {
    const { code } = error as { code?: unknown }
    return { end: code, text: String(error) }
  }
}

it('a context that is not one of Lambda is refused', async () => {
  const handler = invocationHandler({ name: 'invocations', store: memoryStore() }, () => 1)
  await expect(handler({}, {} as never)).rejects.toThrow('the context has no awsRequestId')
})

it.each([
  [{}, 'name: expected letters, digits'],
  [{ name: 'a b' }, 'name: expected letters, digits'],
  [{ name: 'a' }, 'store: expected a store'],
  [{ name: 'a', store: memoryStore(), id: () => 'x' }, '"id" is not known here'],
  [{ name: 'a', store: memoryStore(), key: 'orderId' }, 'key: expected a function'],
  [{ name: 'a', store: memoryStore(), tenant: 'all' }, 'tenant: expected a function'],
  [{ name: 'a', store: memoryStore(), retention: '1s' }, 'waitForOther'],
])('options %o are refused: %s', (options, text) => {
  expect(() => invocationHandler(options as never, () => 1)).toThrow(text)
})
