import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrokenShop, startBrokenShop } from '../../documents/broken/brokenShop.ts'
import { run } from '../cli/runHere.ts'
import { localConsole } from './consoleHere.ts'
import { sameAnswer } from './sameAnswer.ts'

/** Each route with parameters, and the command that gives the same. */
const PAIRS: readonly (readonly [route: string, ...args: readonly string[]])[] = [
  ['overview', 'status'],
  ['tasks', 'ls'],
  ['tasks?status=unknown&status=error&status=dead', 'ls', '--status', 'unknown,error,dead'],
  ['tasks?due=1', 'ls', '--due'],
  ['request?id=mails/mail-31', 'explain', 'mails/mail-31'],
  ['request?id=mail-31', 'explain', 'mail-31'],
  [
    'request?name=payments&key=checkout-71',
    'explain',
    '--name',
    'payments',
    '--key',
    'checkout-71',
  ],
  ['groups?counts=1', 'dlq', 'groups', '--counts'],
  ['groups', 'dlq', 'groups'],
  ['groups?queue=orders-dead', 'dlq', 'groups', 'orders-dead'],
  ['letters?queue=mails-dead&most=10', 'dlq', 'peek', 'mails-dead', '--most', '10'],
  ['pauses', 'pause'],
  ['request?history=1', 'explain', '--history'],
]

describe('the console of the broken shop', () => {
  let shop: BrokenShop
  let console: Awaited<ReturnType<typeof localConsole>>
  beforeAll(async () => {
    shop = await startBrokenShop()
    // What moves all the time is never the same for two that look.
    await shop.fix('tenant')
    await shop.fix('throughput')
    const pause = ['pause', '--consumer', 'uploads', '--for', '1h']
    const { out } = await shop.type(...pause)
    await shop.type(...pause, '--apply', /--apply (\w+)/.exec(out)?.[1] ?? '', '--why', 'quiet')
    console = await localConsole(shop.place)
  })
  afterAll(async () => {
    await console.stop()
    await shop[Symbol.asyncDispose]()
  })

  it.each(PAIRS)('%s answers as its command', async (route, ...args) => {
    // Invoices are tried meanwhile, and their dead letters are held by each look: one of some looks sees the same.
    await expect
      .poll(async () => {
        const typed = await run(['--local', '--json', ...args], { cwd: shop.place })
        const { json } = await console.get(route)
        return { route: sameAnswer(json), command: sameAnswer(JSON.parse(typed.out)) }
      })
      .toSatisfy(({ route: one, command }) => isDeepStrictEqual(one, command))
  })

  it.each([
    ['q=mails/mail-31', /^lock#mails\/mail-31$/],
    ['q=mail-31', /^lock#mails\/mail-31$/],
    ['q=payments/checkout-71', /^key#payments\//],
  ])('finds %s', async (query, id) => {
    const { json } = await console.get(`search?${query}`)
    expect(json['found']).toEqual({ items: [expect.stringMatching(id)], letters: [] })
  })

  it('finds a dead letter by the id of its message', async () => {
    const { json } = await console.get('letters?queue=orders-dead&most=10')
    const letters = json['letters'] as readonly { readonly messageId: string }[]
    const ids = letters.map(({ messageId }) => messageId)
    const found = await Promise.all(ids.map(async (id) => console.get(`search?q=${id}`)))
    for (const { json: each } of found)
      expect(each['found']).not.toEqual({ items: [], letters: [] })
  })
})
