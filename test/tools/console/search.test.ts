import { lockTokens } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Again } from '../../../src/tools/console/reply.ts'
import { hand, receive, send } from '../../flow/flowHarness.ts'
import { consumerOn, operatorHarness, startCloud } from '../cli/operatorHarness.ts'
import { consoleHere } from './consoleHere.ts'
import { jsonOf, nothingFound, served } from './served.ts'

type Found = { readonly items: readonly string[]; readonly letters: readonly object[] }
type NotSearched = readonly {
  readonly place: string
  readonly ask?: string
  readonly units?: number
}[]

describe('a search on a table', () => {
  let cloud: LocalCloud
  let console: Awaited<ReturnType<typeof consoleHere>>
  let messageId = ''
  beforeAll(async () => {
    cloud = await startCloud()
    const office = await operatorHarness(cloud)
    const handler = consumerOn(office, async (_payload, ctx) => {
      await ctx.call('charge', hangUp, { ifUnknown: 'stop' })
    })
    await send(cloud, 'book', { n: 1 })
    const [record] = await receive(cloud, 'book')
    if (record === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [record], handler)
    messageId = record.messageId
    const locks = lockTokens({ store: office.store, name: 'refunds', clock: office.clock })
    const lock = await locks.begin('order-5', 'here', 60_000)
    if (lock.existing !== undefined) throw new Error('taken')
    await lock.endWithSuccess('done')
    console = await consoleHere(office, cloud)
  })
  afterAll(async () => {
    await console.stop()
    await cloud.stop()
  })

  const search = async (query: string) => {
    const { json } = await console.get(`search?${query}`)
    return {
      found: json['found'] as Found,
      asks: (json['notSearched'] as NotSearched).map(({ ask }) => ask),
      json,
    }
  }

  it('finds a request by its id, whole or bare', async () => {
    const found = { items: [`lock#orders/${messageId}`], letters: [] }
    expect(await search(`q=orders/${messageId}`)).toMatchObject({ found, asks: [] })
    expect(await search(`q=${messageId}`)).toMatchObject({ found, asks: [] })
  })

  it('finds the key of a caller by what it has sent, behind its name', async () => {
    expect((await search('q=refunds/order-5')).found.items).toHaveLength(1)
    expect((await search('q=order-5')).asks).toEqual(['letters', 'scan', undefined])
  })

  it('finds what is in the whole table when that is asked for', async () => {
    expect((await search('q=order-5&scan=1')).found.items).toHaveLength(1)
  })

  it('says where it has not looked, and what that costs; looks there when asked', async () => {
    const nothing = await search('q=nothing-there')
    expect(nothing.found).toEqual({ items: [], letters: [] })
    expect(nothing.json['notSearched']).toMatchObject([
      { place: 'dead letters', ask: 'letters' },
      { place: 'whole table', ask: 'scan', units: expect.any(Number) },
      { place: 'key of a caller', why: expect.stringContaining('NAME/KEY') },
    ])
    expect(nothing.json['cost']).toMatchObject({ receives: 0 })
    const everywhere = await search('q=nothing-there&letters=1&scan=1')
    expect(everywhere).toMatchObject({ found: { items: [], letters: [] }, asks: [undefined] })
    expect((everywhere.json['cost'] as { receives: number }).receives).toBeGreaterThan(0)
  })

  it.each(['q=', 'x=1', 'q=a&q=b', 'q=a%0Ab', 'q=a&scan=yes', 'q=a&queue=x'])(
    'refuses %s',
    async (query) => {
      expect((await console.get(`search?${query}`)).status).toBe(400)
    },
  )
})

const hangUp = async (): Promise<never> => {
  throw new Error('socket hang up')
}

describe('a search', () => {
  it('says so when the table does not answer, and not that nothing was found', async () => {
    const again: Again = async (args, signal) => ({
      ...(await nothingFound(args, signal)),
      exit: 3,
      answer: { version: 1, error: { kind: 'no answer', message: 'throttled', help: [] } },
    })
    await using server = await served({ again })
    const answered = await server.ask('/api/search?q=orders/o-1')
    expect(answered.status).toBe(502)
    expect(jsonOf(answered)).toMatchObject({ error: { message: 'throttled' } })
  })

  it('of the local cloud looks into the log and the dead letters, which cost nothing', async () => {
    const ran: string[] = []
    const again: Again = async (args, signal) => {
      ran.push(args.join(' '))
      return nothingFound(args, signal)
    }
    await using server = await served({ again })
    await server.ask('/api/search?q=-x')
    expect(ran).toEqual(['ls --count', 'explain -- -x', 'dlq peek --id=-x --most=10'])
  })

  it('finds the dead letter of what the log knows and the table does not', async () => {
    const found =
      (letters: readonly object[]): Again =>
      async (args, signal) => {
        const answered = await nothingFound(args, signal)
        if (args[0] === 'explain') return { ...answered, exit: 0, answer: { timeline: [{}] } }
        return args[1] === 'peek' ? { ...answered, exit: 0, answer: { letters } } : answered
      }
    const ways: unknown[] = []
    for (const letters of [[{ queue: 'dead' }], []]) {
      await using server = await served({ again: found(letters) })
      ways.push(jsonOf(await server.ask('/api/search?q=r-1'))['found'])
    }
    expect(ways).toEqual([
      { items: [], letters: [{ queue: 'dead' }] },
      { items: ['r-1'], letters: [] },
    ])
  })
})
