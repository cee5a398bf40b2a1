import { StaleError, TerminalError } from '../../src/errors.ts'
import { newerThan } from '../../src/guard/guard.ts'
import type { Lab } from './lab.ts'
import { NEXT_URL } from './places.ts'
import {
  charge,
  consumerWith,
  endOf,
  ends,
  order,
  receivedTwice,
  reserve,
  reservedOnce,
  type Scenario,
  sentBack,
  sentTwice,
  sentTwiceInOneBatch,
} from './scenario.ts'
import type { CallFault } from './world.ts'

const applyAndSend: Pick<Scenario, 'consumer' | 'handler' | 'judge'> = {
  consumer: consumerWith({ maxAttempts: 3 }),
  handler: () => async (_payload, ctx) => {
    await ctx.applyOnce('reserve', reserve)
    await ctx.send(NEXT_URL, { paid: true })
  },
  judge: (lab) =>
    ends(lab, 'completed') ??
    reservedOnce(lab) ??
    (lab.next.letters.length > 0 ? undefined : 'nothing was sent on'),
}

const failsTwice: Pick<Scenario, 'begin' | 'handler' | 'judge'> = {
  begin: receivedTwice,
  handler: () => async (_payload, ctx) => {
    await ctx.applyOnce('reserve', reserve)
    if (ctx.attempt <= 2) throw new Error('not yet')
  },
  judge: (lab) => ends(lab, 'completed') ?? reservedOnce(lab),
}

const newest = (first: number, second: number): Omit<Scenario, 'name'> => ({
  consumer: consumerWith({ maxAttempts: 3 }),
  begin: async (lab) => {
    const { now } = lab.world
    order(lab, 'order-1', now + first)
    order(lab, 'order-2', now + second)
  },
  handler: () => async (_payload, ctx) => {
    const guard = newerThan('updatedAt', ctx.sentAt)
    const set = { by: ctx.uniqueRequestId }
    const written = await ctx.update({ TableName: 'orders', Key: { id: 'o' }, set, guard })
    if (!written.applied) throw new StaleError('somebody newer was here')
  },
  judge: ({ table }) => {
    const by = String(table.base.userItems('orders')[0]?.['by'])
    return by === 'order-2' ? undefined : `${by} stands, and order-2 is newer`
  },
})

/** No `verify` can see a call that still is on its way. */
const VISIBLE: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
]

const verified = (faults?: readonly CallFault[]): Omit<Scenario, 'name'> => ({
  consumer: consumerWith({ maxAttempts: 3 }),
  begin: receivedTwice,
  handler: (lab, actor) => async (_payload, ctx) => {
    await ctx.once('charge', ({ idempotencyKey }) => charge(lab, actor, idempotencyKey, faults), {
      effect: 'verify',
      verify: ({ idempotencyKey }) =>
        lab.calls.includes(idempotencyKey)
          ? { outcome: 'done', result: 'receipt' }
          : { outcome: 'not done' },
    })
  },
  judge: (lab) => calledOnce(lab) ?? ends(lab, 'completed'),
})

function calledOnce({ calls }: Lab): string | undefined {
  return calls.length === 1 ? undefined : `the service was called ${calls.length} times`
}

export type ScenarioName =
  | 'applyOnce'
  | 'sentTwice'
  | 'oneBatch'
  | 'idempotent'
  | 'once'
  | 'verify'
  | 'resent'
  | 'hopeless'
  | 'sentBack'
  | 'newest'
  | 'sameTime'
  | 'hidden'
  | 'floating'
  | 'lastAttempt'

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  applyOnce: {
    name: '(a) applyOnce and send, received twice',
    begin: receivedTwice,
    ...applyAndSend,
  },
  sentTwice: { name: '(a) applyOnce and send, sent twice', begin: sentTwice, ...applyAndSend },
  oneBatch: {
    name: '(a) applyOnce and send, twice in one batch',
    begin: sentTwiceInOneBatch,
    ...applyAndSend,
  },
  idempotent: {
    name: '(b) once, idempotent',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (lab, actor) => async (_payload, ctx) => {
      const receipt = await ctx.once('charge', ({ idempotencyKey }) =>
        charge(lab, actor, idempotencyKey),
      )
      await ctx.put({ TableName: 'orders', Key: { id: 'o' }, put: { receipt } })
    },
    judge: (lab) =>
      lab.calls.length > 0 ? ends(lab, 'completed') : 'the service was never called',
  },
  once: {
    name: "(c) once, effect 'once'",
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (lab, actor) => async (_payload, ctx) => {
      const options = { effect: 'once' } as const
      await ctx.once('charge', ({ idempotencyKey }) => charge(lab, actor, idempotencyKey), options)
      await ctx.applyOnce('reserve', reserve)
    },
    judge: (lab) => {
      if (endOf(lab) === 'completed') return calledOnce(lab) ?? reservedOnce(lab)
      const [token] = lab.table.tokens.values()
      if (token?.['status'] !== 'unknown') return `at rest, the token is ${token?.['status']}`
      return lab.calls.length > 1 ? calledOnce(lab) : ends(lab, 'dead-lettered')
    },
  },
  verify: {
    name: "(d) once, effect 'verify'",
    ...verified(VISIBLE),
    without: ['clock jumps', 'time is up'],
  },
  resent: {
    name: '(e) fails twice, is re-sent',
    consumer: consumerWith({ maxAttempts: 6 }),
    ...failsTwice,
  },
  hopeless: {
    name: '(f) fails always',
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      throw new Error('never')
    },
    judge: (lab) => ends(lab, 'dead-lettered') ?? reservedOnce(lab),
  },
  sentBack: {
    name: '(f) a dead letter sent back, received twice',
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: sentBack,
    handler: (lab) => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      if (lab.deadLetters.sent === 0) throw new Error('not before it is mended')
    },
    judge: (lab) => ends(lab, 'completed') ?? reservedOnce(lab),
  },
  newest: { name: '(g) newerThan, two requests', ...newest(-2, -1) },
  sameTime: { name: '(g) newerThan, two requests of one millisecond', ...newest(-1, -1) },
  hidden: {
    name: '(h) fails twice, comes back by visibility',
    consumer: consumerWith({ maxAttempts: 6, transport: 'visibility' }),
    ...failsTwice,
  },
  floating: {
    name: '(i) throws while a write is on its way',
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      ctx.applyOnce('reserve', reserve).catch(() => {})
      throw new TerminalError('given up')
    },
    judge: (lab) => ends(lab, 'dead-lettered') ?? reservedOnce(lab),
  },
  lastAttempt: {
    ...applyAndSend,
    name: '(j) one attempt only',
    consumer: consumerWith({ maxAttempts: 1 }),
    begin: receivedTwice,
    judge: (lab) => ends(lab, 'completed', 'dead-lettered') ?? reservedOnce(lab),
  },
}

/** Outside of the promise: `verify` answers for what has arrived. */
export const onItsWay: Scenario = { name: "'verify' while the call is on its way", ...verified() }
