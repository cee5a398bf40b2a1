import { idempotent, InProgressError, StoreUnavailableError, TerminalError } from 'lineclear'
import { fakeClock, memoryStore, restEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'
import type { KnownElsewhere } from '../../src/library/entries/consumer/elsewhere.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

/** A function that replaces another one, and how often it ran and asked. */
function replacing(alreadyDone: (id: string) => KnownElsewhere | Promise<KnownElsewhere>) {
  const [clock, store, logger] = [fakeClock(), memoryStore(), quietLogger()]
  const seen = { ran: 0, asked: [] as string[], lines: logger.lines }
  const options = {
    store,
    clock,
    logger,
    name: 'refunds',
    hash: 'plain' as const,
    lease: '30s' as const,
    key: (id: string) => id,
    alreadyDone: (id: string) => {
      seen.asked.push(id)
      return alreadyDone(id)
    },
  }
  const work = { run: async (_id: string): Promise<string> => `receipt ${seen.ran}` }
  const refund = idempotent(options, async (id: string) => {
    seen.ran += 1
    return work.run(id)
  })
  return { refund, seen, store, clock, work }
}

it('runs what is new elsewhere, and asks for the first call of a key only', async () => {
  const { refund, seen } = replacing(() => 'new')
  expect([await refund('a'), await refund('a'), await refund('b')]).toEqual([
    'receipt 1',
    'receipt 1',
    'receipt 2',
  ])
  expect(seen).toMatchObject({ ran: 2, asked: ['a', 'b'] })
})

it('runs nothing that is done elsewhere, and stores nothing', async () => {
  const { refund, seen, store } = replacing(() => 'done')
  await expect(refund('a')).rejects.toThrow(TerminalError)
  await expect(refund('a')).rejects.toThrow(
    'alreadyDone: the call was done before and was not run again; its result is not known here',
  )
  expect([seen.ran, store.items()]).toEqual([0, []])
})

it('is in progress while it runs elsewhere, and runs when the other one gave it up', async () => {
  let known: KnownElsewhere = 'running'
  const { refund, seen } = replacing(() => known)
  await expect(refund('a')).rejects.toThrow(InProgressError)
  expect(seen.ran).toBe(0)
  known = 'new'
  expect(await refund('a')).toBe('receipt 1')
})

it.each([
  ['throws', (): never => raise('the other table is down')],
  ['rejects', () => Promise.reject(new Error('the other table is down'))],
])('runs nothing while the question %s', async (_, fail) => {
  let isDown = true
  const { refund, seen } = replacing(() => (isDown ? fail() : 'new'))
  const error = await refund('a').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreUnavailableError)
  expect(String(error)).toContain('alreadyDone: the other table is down; nothing was run')
  expect(seen.ran).toBe(0)
  isDown = false
  expect(await refund('a')).toBe('receipt 1')
})

it.each(['yes', undefined, true])('runs nothing after %j, and says so at ERROR', async (answer) => {
  const { refund, seen } = replacing(async () => answer as never)
  await expect(refund('a')).rejects.toThrow("alreadyDone: expected 'done', 'running' or 'new'")
  expect([seen.ran, seen.lines.map(({ level }) => level)]).toEqual([0, ['error']])
})

it('does not ask about a key whose holder died here', async () => {
  const { refund, seen, clock, work } = replacing(() => (seen.asked.length > 1 ? 'done' : 'new'))
  work.run = () => new Promise<never>(() => {})
  void refund('a')
  await expect.poll(() => seen.ran).toBe(1)
  clock.advance(60_000)
  work.run = async () => 'receipt of the second'
  expect(await refund('a')).toBe('receipt of the second')
  expect(seen).toMatchObject({ ran: 2, asked: ['a'] })
})

it('does not ask again about a key that a failure here has freed', async () => {
  const { refund, seen, work } = replacing(() => 'new')
  work.run = () => Promise.reject(new Error('no answer of the bank'))
  await expect(refund('a')).rejects.toThrow('no answer of the bank')
  work.run = async () => 'receipt'
  expect(await refund('a')).toBe('receipt')
  expect(seen.asked).toEqual(['a'])
})

it('answers with what was begun here while the question was under way', async () => {
  let begin: (() => Promise<unknown>) | undefined
  const { refund, seen } = replacing(async () => {
    const first = begin
    begin = undefined
    await first?.()
    // What has just ended here is what the other side now knows.
    return first === undefined ? 'new' : 'done'
  })
  begin = () => refund('a')
  expect(await refund('a')).toBe('receipt 1')
  expect(seen.ran).toBe(1)
})

it('waits while the table does not answer', async () => {
  const { refund, seen, store } = replacing(() => 'new')
  const read = store.read
  store.read = async (keys) =>
    keys.map(() => ({ kind: 'failed', error: new StoreUnavailableError('no answer') }))
  await expect(refund('a')).rejects.toThrow(StoreUnavailableError)
  expect(seen).toMatchObject({ ran: 0, asked: [] })
  store.read = read
  expect(await refund('a')).toBe('receipt 1')
})

it.each([
  ['done', 410, 'RESPONSE_NOT_KEPT'],
  ['running', 409, 'IDEMPOTENCY_KEY_IN_USE'],
  ['yes', 500, 'CONFIG'],
  [undefined, 500, 'CONFIG'],
  [new Error('down'), 503, 'STORE_UNAVAILABLE'],
])('an HTTP request that is %s elsewhere is answered with %i', async (known, status, code) => {
  let ran = 0
  const pay = idempotent(
    {
      store: memoryStore(),
      logger: quietLogger(),
      name: 'pay',
      tenant: 'none' as const,
      alreadyDone: async () => {
        if (known instanceof Error) throw known
        return known as never
      },
    },
    async (_event: object, _context: object) => {
      ran += 1
      return { statusCode: 201, body: '' }
    },
  )
  const event = restEvent({ path: '/payments', headers: { 'Idempotency-Key': 'k1' } })
  const answer = await pay(event, lambdaContext())
  expect([ran, answer.statusCode, JSON.parse(answer.body)]).toMatchObject([0, status, { code }])
})

function raise(message: string): never {
  throw new Error(message)
}
