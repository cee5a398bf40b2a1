import { readdirSync, readFileSync } from 'node:fs'
import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { run } from '../../tools/cli/runHere.ts'
import { CALLS } from './calls.ts'
import { COMMANDS } from './commands.ts'
import { DONE, TAKEN } from './fine.ts'
import { BESIDES, CONSUMERS, FLOWS, SENDERS } from './parts.ts'
import { SET_UP } from './setUp.ts'

/**
 * Mistakes written in JavaScript or through `any`: what the types refuse is in test/package/types. Each gets an error
 * of one line that names what is wrong.
 */
const AT_ONCE = [...SET_UP, ...CONSUMERS, ...SENDERS, ...FLOWS, ...BESIDES]

const refusal = async (make: () => unknown): Promise<string> => {
  try {
    const made: unknown = await make()
    return `nothing was said: ${typeof made}`
  } catch (error) {
    return error instanceof Error ? error.message : 'no error'
  }
}

describe('a mistake in the set-up is refused at once', () => {
  it.each(AT_ONCE)('%s', async (_, make, line) => {
    const said = await refusal(make)
    expect(said).toMatch(line)
    expect(said).not.toMatch(/^nothing was said|is not a function|Cannot read/)
    expect(said.split('\n')).toHaveLength(1)
  })
})

describe('a mistake in a handler dead-letters the record at once, with what is wrong', () => {
  it.each(CALLS)('%s', async (_, work, line) => {
    const cloud = memoryCloud({
      queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } }, dead: {} },
      tables: { stock: { hash: 'sku' } },
    })
    const { clients, clock, logger } = cloud
    const options = { name: 'orders', store: cloud.store, clients, clock, logger }
    const handler = recordHandler(options, (_payload, ctx) => work(ctx))
    cloud.send('orders', { id: 'o1' })
    await cloud.drain({ orders: handler })
    const [dead] = cloud.messages('dead')
    expect(dead?.carried.error).toMatch(line)
    expect(dead?.carried.error).not.toMatch(/is not a function|Cannot read/)
    expect(cloud.store.userItems('stock')).toEqual([])
  })
})

describe('a mistake on the command line ends with 2, and reaches neither table nor queue', () => {
  it.each(COMMANDS)('lineclear %s', async (args, line) => {
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    const { code } = await run(args.split(' ').filter(Boolean), {
      out: say,
      err: say,
      dynamodb: unreached(),
      sqs: unreached(),
    })
    expect(said.join('\n')).toMatch(line)
    expect(code).toBe(2)
  })
})

describe('what is no mistake is accepted', () => {
  it.each(TAKEN)('%s: %s', (_what, _why, make) => {
    expect(make).not.toThrow()
  })

  it.each(DONE)('%s: %s', async (_what, _why, work, { mail = [], stock = [] }) => {
    const cloud = memoryCloud({
      queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 2 } }, dead: {}, mail: {} },
      tables: { stock: { hash: 'sku' } },
    })
    const { store, clients, clock, logger } = cloud
    const options = { name: 'orders', store, clients, clock, logger }
    cloud.send('orders', { id: 'o1' })
    await cloud.drain({ orders: recordHandler(options, (_payload, ctx) => work(ctx)) })
    expect(cloud.messages('dead')).toEqual([])
    expect(cloud.messages('mail').map(({ payload }) => payload)).toEqual(mail)
    expect(store.userItems('stock')).toMatchObject(stock)
  })
})

function unreached(): never {
  return { send: () => Promise.reject(new Error('it was reached')) } as never
}

it('at least one hundred mistakes are answered, by a line or by the compiler', () => {
  const types = new URL('../../package/types/', import.meta.url)
  const refused = readdirSync(types)
    .filter((name) => name.endsWith('.test-d.ts'))
    .flatMap((name) => readFileSync(new URL(name, types), 'utf8').match(/@ts-expect-error/g) ?? [])
  const lines = AT_ONCE.length + CALLS.length + COMMANDS.length
  expect(refused.length).toBeGreaterThan(40)
  expect(lines).toBeGreaterThan(150)
  expect(lines + refused.length).toBeGreaterThanOrEqual(200)
})

it('no two mistakes have one name', () => {
  const names = [...AT_ONCE, ...CALLS].map(([mistake]) => mistake)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})
