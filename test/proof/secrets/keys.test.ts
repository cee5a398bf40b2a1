import middyjs from '@middy/core'
import {
  idempotent,
  lockTokens,
  onceForever,
  sweepHandler,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { jmespathOf } from '../../call/jmespathOf.ts'
import { idempotency } from 'lineclear/middy'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { httpApiEvent, restEvent } from '../../call/httpEvents.ts'
import { SECRET, watch } from './watch.ts'

let cloud: LocalCloud
beforeAll(async () => {
  const queues = { work: {}, dead: {} }
  cloud = withoutSdk(await startLocalCloud({ queues }, { logger: quietLogger() }))
})
afterAll(() => cloud.stop())

const request = (body: unknown = { card: SECRET.body }, key = SECRET.key as string) => ({
  headers: { 'Idempotency-Key': key, authorization: SECRET.header, cookie: SECRET.header },
  query: { token: SECRET.header },
  body,
})
const created = () => ({
  statusCode: 201,
  body: SECRET.result,
  headers: { 'set-cookie': SECRET.header },
})
const fails = (error: Error) => async (): Promise<never> => {
  throw error
}

describe.each([
  ['a REST API', restEvent],
  ['an HTTP API', httpApiEvent],
] as const)('%s reveals nothing of keys, headers and bodies', (_api, eventOf) => {
  it.each([
    ['done and answered again', created, 'answered from the first run'],
    ['failing', fails(new Error('the bank is closed')), 'the next caller may run'],
    ['failing for good', fails(new TerminalError('no such card')), 'no such card'],
    [
      'with an unknown outcome',
      fails(new UnknownOutcomeError('the line broke')),
      'unknown outcome',
    ],
  ])('%s', async (_what, run, says) => {
    const given = watch(cloud)
    const handler = idempotent(
      { name: 'cards', tenant: 'none', waitForOther: 0, ...given.keyed },
      async (_event: unknown, _context: unknown): Promise<unknown> => run(),
    )
    const call = (event: unknown) => handler(event, lambdaContext())
    // The answer itself goes to the client who sent the request.
    await call(eventOf(request())).catch(() => {})
    await call(eventOf(request())).catch(() => {})
    await given.hear(() => call(eventOf(request({ card: `${SECRET.body} other` }))))
    await given.hear(() => call(eventOf(request(undefined, ''))))
    expect(given.heard()).toContain(says)
    expect(given.leaks()).toEqual([])
  })

  it('with a key that cannot be read', async () => {
    const given = watch(cloud)
    const handler = idempotent(
      {
        name: 'cards',
        tenant: 'none',
        key: jmespathOf('powertools_json(body).id'),
        ...given.keyed,
      },
      async (_event: unknown) => created(),
    )
    const answer = await given.hear(() => handler(eventOf(request(SECRET.body))))
    expect(answer).toMatchObject({ statusCode: 400 })
    expect(given.heard()).toContain('it is missing')
    expect(given.leaks()).toEqual([])
  })

  it('as a middleware', async () => {
    const given = watch(cloud)
    const handler = middyjs(async () => Promise.reject(new Error('the bank is closed'))).use(
      idempotency({ name: 'cards', tenant: 'none', ...given.keyed }),
    )
    await given.hear(() => handler(eventOf(request()), lambdaContext()))
    await given.hear(() => handler(eventOf(request(undefined, '')), lambdaContext()))
    expect(given.heard()).toContain('the bank is closed')
    expect(given.leaks()).toEqual([])
  })
})

describe('keys of functions', () => {
  it.each([
    ['a SyntaxError', () => JSON.parse(SECRET.key) as string, 'it cannot be read (SyntaxError)'],
    ['a key too long', () => SECRET.key.repeat(1_000), 'it is too long'],
  ])('%s is not quoted', async (_what, key, says) => {
    const given = watch(cloud)
    const options = { name: 'cards', key, hash: 'plain' as const, ...given.keyed }
    const pay = idempotent(options, async (_card: string) => SECRET.result)
    await given.hear(() => pay(SECRET.body))
    expect(given.heard()).toContain(says)
    expect(given.leaks()).toEqual([])
  })

  it('a stored answer that cannot be read is not quoted', async () => {
    const given = watch(cloud)
    const options = { name: 'cards', key: () => SECRET.key, ...given.keyed }
    const pay = idempotent(options, async (_card: string) => SECRET.result)
    await pay(SECRET.body)
    const key = keyOf(given, 'token')
    await given.store.update([{ key, where: [], set: { result: `{${SECRET.result}` } }])
    await given.hear(() => pay(SECRET.body))
    expect(given.heard()).toContain('what was stored cannot be read')
    expect(given.leaks()).toEqual([])
  })
})

describe('lock tokens', () => {
  it('reveal nothing of results, and do not quote a token they refuse', async () => {
    const given = watch(cloud)
    const locks = lockTokens<string>({ store: given.store, name: 'refunds', ...given.locks })
    const lock = await locks.begin('payment-1', 'me', 1_000)
    if (lock.existing === undefined) await lock.endWithSuccess(SECRET.result)
    await given.hear(() => locks.begin(SECRET.key.repeat(1_000), 'me', 1_000))
    await given.hear(() => locks.begin({ token: SECRET.key } as never, 'me', 1_000))
    await given.hear(() => locks.begin(9n as never, 'me', 1_000))
    expect(given.heard()).toContain('got 14000 bytes')
    expect(given.heard()).toContain('got bigint')
    expect(given.leaks()).toEqual([])
  })
})

describe('once for ever, and the sweeper', () => {
  it('reveal nothing of refused keys, nor of messages', async () => {
    const given = watch(cloud)
    const once = onceForever({ store: given.store, name: 'callbacks', ...given.events })
    const nowhere = { queueUrl: `${cloud.queueUrl('work')}-none` }
    await given.hear(() => once.acquire(SECRET.key.repeat(1_000)))
    await given.hear(() => once.acquire(9n as never))
    await given.hear(() => once.thenEnqueue('call-1', { card: SECRET.body }, nowhere))
    given.clock.advance(3_600_000)
    const sweep = sweepHandler({ store: given.store, ...given.events })
    expect(await given.hear(sweep)).toMatchObject({ failed: 1 })
    const key = keyOf(given, 'once')
    const letter = `{"queueUrl":"${SECRET.body}`
    await given.store.update([{ key, where: [], set: { letter } }])
    expect(await given.hear(sweep)).toMatchObject({ failed: 1 })
    await given.hear(() => once.thenEnqueue('call-1', { card: SECRET.body }, nowhere))
    expect(given.heard()).toContain('stored by a newer version, or by hand')
    expect(given.leaks()).toEqual([])
  })

  it('reveal nothing of results and payloads of what waits for an operator', async () => {
    const given = watch(cloud)
    const locks = lockTokens<string>({ store: given.store, name: 'refunds', ...given.locks })
    const lock = await locks.begin('payment-1', 'me', 1_000)
    if (lock.existing === undefined) await lock.endWithError('the bank said no')
    const key = keyOf(given, 'token')
    await given.store.update([{ key, where: [], set: { result: SECRET.result } }])
    given.clock.advance(3_600_000)
    expect(await given.hear(sweepHandler({ store: given.store, ...given.events }))).toMatchObject({
      waiting: 1,
    })
    expect(given.heard()).toContain('waits for an operator')
    expect(given.leaks()).toEqual([])
  })
})

/** The key of the only item. */
function keyOf(given: ReturnType<typeof watch>, sk: string): { pk: string; sk: string } {
  const pk = given.store.items()[0]?.['pk']
  return { pk: typeof pk === 'string' ? pk : '', sk }
}
