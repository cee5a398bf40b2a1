import { describe, expect, it } from 'vitest'
import type { CallOptions } from '../../src/library/run/context/context.ts'
import type { Logger } from '../../src/library/base/logger.ts'
import type { ResultStore } from '../../src/library/run/context/results/resultStore.ts'
import { attemptOf, store as openStore } from './attemptOf.ts'

const IF_UNKNOWN: readonly CallOptions<unknown>[] = [
  {},
  { ifUnknown: 'repeat' },
  { ifUnknown: 'stop' },
  { ifUnknown: () => ({ outcome: 'unknown' }) },
]
const LONG = 'x'.repeat(400_000)

class Money {
  readonly cents: number
  readonly #perEuro = 100
  constructor(cents: number) {
    this.cents = cents
  }
  euros(): number {
    return this.cents / this.#perEuro
  }
}

function bucket(put?: () => Promise<void>): ResultStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>()
  return {
    texts,
    put: async (key, text) => {
      await put?.()
      texts.set(key, text)
    },
    get: async (key) => texts.get(key),
  }
}

function heard(): { readonly logger: Logger; readonly lines: string[] } {
  const lines: string[] = []
  const line = (level: string) => (message: string) => void lines.push(`${level}: ${message}`)
  const logger = { debug() {}, info() {}, warn: line('warn'), error: line('error') }
  return { logger, lines }
}

describe('the first run is given the result as every later one', () => {
  it.each<[string, unknown, unknown]>([
    ['plain data', { id: 'r', n: [1, null] }, { id: 'r', n: [1, null] }],
    [
      'dates, maps, sets, bytes',
      [new Date(5), new Map([[1, new Set(['a'])]]), new Uint8Array([1])],
      [new Date(5), new Map([[1, new Set(['a'])]]), new Uint8Array([1])],
    ],
    ['nothing', undefined, undefined],
    ['an object of a class, without its methods', new Money(5), { cents: 5 }],
    [
      'an object with toJSON',
      { url: new URL('https://a.example/') },
      { url: 'https://a.example/' },
    ],
    ['a Buffer', Buffer.from([1, 2]), new Uint8Array([1, 2])],
    ['fields that are functions', { id: 'r', retry: () => 1 }, { id: 'r' }],
  ])('%s', async (_, result, kept) => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    const second = await attemptOf(store, 'second')
    const third = await attemptOf(store, 'third')
    expect(await third.ctx.call('charge', () => result)).toStrictEqual(kept)
    const fourth = await attemptOf(store, 'fourth')
    expect(await fourth.ctx.call('charge', () => 'made again')).toStrictEqual(kept)
    expect([first.ctx.attempt, second.ctx.attempt]).toEqual([1, 2])
  })
})

const circle: Record<string, unknown> = {}
circle['self'] = circle

describe('what holds no data', () => {
  it.each<[string, unknown, string]>([
    ['a response', Response.json({ id: 'r' }), '$ is a Response'],
    ['a response within', { response: new Response() }, '$.response is a Response'],
    ['an error', new Error('declined'), '$ is an Error'],
    ['a function', () => 1, '$ is a function'],
    ['a function in a list', [() => 1], '$[0] is a function'],
    [
      'a forgotten await',
      { body: Promise.resolve(1) },
      '$.body is a Promise (is an await missing?)',
    ],
    [
      'private fields only',
      new (class Token {
        readonly #id = 1
        read() {
          return this.#id
        }
      })(),
      '$ is an object of class Token',
    ],
    ['what contains itself', circle, '$.self the value contains itself'],
  ])('%s is reported on the first run, whatever ifUnknown is', async (_, result, why) => {
    for (const options of IF_UNKNOWN) {
      const { ctx, settled } = await attemptOf(openStore(), 'first')
      const made = ctx.call('charge', () => result, options)
      await expect(made).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringMatching(
          /^ctx\.call\('charge'\): the call was made, but its result cannot/,
        ),
      })
      await expect(made).rejects.toThrow(why)
      await expect(settled()).rejects.toMatchObject({ code: 'CONFIG' })
    }
  })

  it("and the call is recorded as made: with ifUnknown 'stop' it is not repeated after the fix", async () => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    await expect(first.ctx.call('charge', () => circle, { ifUnknown: 'stop' })).rejects.toThrow(
      'the value contains itself',
    )
    const second = await attemptOf(store, 'second')
    const again = second.ctx.call('charge', () => 'made again', { ifUnknown: 'stop' })
    await expect(again).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
  })
})

describe('a result that is too long for the table', () => {
  it('goes to the result store, and every attempt gets it from there', async () => {
    const store = openStore()
    const results = bucket()
    const first = await attemptOf(store, 'first', store, 'orders', results)
    expect(await first.ctx.call('render', () => LONG, { ifUnknown: 'stop' })).toBe(LONG)
    expect(results.texts.size).toBe(1)
    const second = await attemptOf(store, 'second', store, 'orders', results)
    const again = second.ctx.call('render', () => 'made again', { ifUnknown: 'stop' })
    expect(await again).toBe(LONG)
    expect(JSON.stringify(store.items()).length).toBeLessThan(2_000)
  })

  it('the results of a record share their room: what no longer fits goes there too', async () => {
    const store = openStore()
    const results = bucket()
    const first = await attemptOf(store, 'first', store, 'orders', results)
    for (const name of ['a', 'b', 'c']) await first.ctx.call(name, () => name.repeat(140_000))
    expect(results.texts.size).toBe(1)
    const second = await attemptOf(store, 'second', store, 'orders', results)
    for (const name of ['a', 'b', 'c']) {
      expect(await second.ctx.call(name, () => 'made again')).toBe(name.repeat(140_000))
    }
  })

  it('without one the first run logs an error, and a later run logs that it repeats the call', async () => {
    const store = openStore()
    const { logger, lines } = heard()
    const attempt = (name: string) => attemptOf(store, name, store, 'orders', undefined, logger)
    const first = await attempt('first')
    expect(await first.ctx.call('render', () => LONG)).toBe(LONG)
    expect(lines).toEqual([
      expect.stringMatching(
        /^error: ctx\.call\('render'\): done, and its result is not kept: it has 400002 bytes/,
      ),
    ])
    const second = await attempt('second')
    expect(await second.ctx.call('render', () => 'made again')).toBe('made again')
    expect(lines.at(-1)).toBe(
      "warn: ctx.call('render'): made again with its idempotency key: its result was not kept",
    )
    const third = await attempt('third')
    await third.ctx.call('charge', () => LONG, { ifUnknown: 'stop' })
    const fourth = await attempt('fourth')
    const again = fourth.ctx.call('charge', () => 'made again', { ifUnknown: 'stop' })
    await expect(again).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
  })

  it('a result store that fails makes no done call a failed one', async () => {
    const { logger, lines } = heard()
    const results = bucket(() => Promise.reject(new Error('no bucket')))
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first', store, 'orders', results, logger)
    expect(await ctx.call('render', () => LONG)).toBe(LONG)
    expect(lines).toEqual(["error: ctx.call('render'): done, but its result could not be stored"])
  })

  it('a result that was deleted counts as not stored; a missing result store is an error', async () => {
    const store = openStore()
    const results = bucket()
    const first = await attemptOf(store, 'first', store, 'orders', results)
    await first.ctx.call('render', () => LONG, { ifUnknown: 'stop' })
    const unnamed = await attemptOf(store, 'second')
    const asked = unnamed.ctx.call('render', () => 'again', { ifUnknown: 'stop' })
    await expect(asked).rejects.toMatchObject({ code: 'CONFIG' })
    results.texts.clear()
    const third = await attemptOf(store, 'third', store, 'orders', results)
    const again = third.ctx.call('render', () => 'again', { ifUnknown: 'stop' })
    await expect(again).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
  })
})
