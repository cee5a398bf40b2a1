import {
  absent,
  type ReturnedWrites,
  type ReturningContext,
  type Store,
  TerminalError,
  writeHandler,
} from 'lineclear'
import {
  type CrashCloud,
  type CrashOptions,
  type CrashReport,
  exploreCrashes,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { Key, ORDER, SOUND } from '../../testing/crashes/consumerOf.ts'

const sum = { TableName: 't', Key, add: { n: 1 } } as const
const row = { TableName: 'rows', Key: { id: 'r' }, put: { paid: true } } as const

type Handle = (payload: unknown, ctx: ReturningContext) => ReturnedWrites

/** Each of them with a copy of the message beside it, and one fault anywhere. */
const HANDLERS: Readonly<Record<string, Handle>> = {
  'one write': () => sum,
  'two writes': () => [sum, row],
  'a guarded write': () => ({ ...row, guard: absent() }),
  'a write of its second attempt': (_, { attempt, envelope }) => {
    if (attempt + envelope.carried.resendNumber === 1) throw new Error('not yet')
    return sum
  },
}

function explore(
  handle: Handle,
  without = (store: Store): Store => store,
  options: CrashOptions = {},
): Promise<CrashReport> {
  return exploreCrashes(
    ({ store, clients, clock, logger }: CrashCloud) =>
      writeHandler(
        { name: 'orders', store: without(store), clients, clock, logger, retry: RETRY },
        handle,
      ),
    ORDER,
    options,
  )
}

const RETRY = { maxAttempts: 3 }

const limit = bound(0, 1_000, 40_000)

describe('all promises are kept', () => {
  it.each(Object.entries(HANDLERS))('%s', async (_, handle) => {
    expect(await explore(handle, undefined, { limit })).toMatchObject(SOUND)
  })

  it('no write, beside another message', async () => {
    const handle: Handle = (payload) => (isOther(payload) ? sum : undefined)
    expect(await explore(handle, undefined, { also: [OTHER], limit })).toMatchObject(SOUND)
  })

  it('an attempt that fails for good, beside another message', async () => {
    const handle: Handle = (payload) => {
      if (!isOther(payload)) throw new TerminalError('no such account')
      return sum
    }
    const expectedFailures = ['terminal: TerminalError: no such account']
    const options = { also: [OTHER], expectedFailures, limit }
    expect(await explore(handle, undefined, options)).toMatchObject(SOUND)
  })
})

const OTHER = { orderId: 'other' }
const isOther = (payload: unknown): boolean => JSON.stringify(payload) === JSON.stringify(OTHER)

describe('finds what breaks without', () => {
  it('the condition that the token is new', async () => {
    let number = 0
    const without = (store: Store): Store => ({
      ...store,
      transact: (claim, writes) =>
        'create' in claim
          ? store.transact({ create: { ...claim.create, sk: `${(number += 1)}` } }, writes)
          : store.transact(claim, writes),
    })
    const { doubled } = await explore(() => sum, without)
    expect(doubled).toBeGreaterThan(0)
  })

  it('the claim that is made before a copy is sent', async () => {
    const without = (store: Store): Store => ({
      ...store,
      create: (items) => Promise.resolve(items.map((item) => ({ kind: 'applied', item }))),
    })
    const { lost, doubled, stuck } = await explore(
      HANDLERS['a write of its second attempt'] ?? (() => sum),
      without,
    )
    expect(lost + doubled + stuck).toBeGreaterThan(0)
  })
})
