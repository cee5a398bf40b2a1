import { StaleError, TerminalError } from '../../../src/library/base/errors.ts'
import { newerThan } from '../../../src/library/run/context/guard/guard.ts'
import { NEXT_URL } from './places.ts'
import {
  confirmedLate,
  outOfTime,
  receivedTwice,
  sentBack,
  sentBackOnce,
  sentTwice,
  sentTwiceInOneBatch,
} from './begin.ts'
import { buriedOnce, calledOnce, endOf, ends, ranAtMost, reservedOnce } from './judge.ts'
import { charge, consumerWith, order, reserve, type Scenario } from './scenario.ts'
import type {
  CrashCallFault,
  CrashFault,
} from '../../../src/testing/crashes/simulation/crashFaults.ts'

/** Here the other faults do the same as elsewhere. */
const LIGHT: readonly CrashFault[] = ['answer lost', 'killed on the wire', 'clock jumps']

const applyAndSend: Pick<Scenario, 'consumer' | 'handler' | 'judge'> = {
  consumer: consumerWith({ maxAttempts: 3 }),
  handler: () => async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    await ctx.send(NEXT_URL, { paid: true })
  },
  judge: (model) =>
    ends(model, 'completed') ??
    reservedOnce(model) ??
    ranAtMost(model, 1) ??
    (model.next.messages.length > 0 ? undefined : 'nothing was sent on'),
}

const livesTwice: Pick<Scenario, 'consumer' | 'handler' | 'judge'> = {
  consumer: consumerWith({ maxAttempts: 2 }),
  handler: (model) => async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    if (model.redriven === 0 || ctx.attempt === 1) throw new Error('not yet')
  },
  judge: (model) => ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model),
}

const failsTwice: Pick<Scenario, 'begin' | 'handler' | 'judge'> = {
  begin: receivedTwice,
  handler: () => async (_payload, ctx) => {
    await ctx.write('reserve', reserve)
    if (ctx.attempt <= 2) throw new Error('not yet')
  },
  judge: (model) => ends(model, 'completed') ?? reservedOnce(model) ?? ranAtMost(model, 3),
}

const newest = (first: number, second: number): Omit<Scenario, 'name'> => ({
  consumer: consumerWith({ maxAttempts: 3 }),
  begin: async (model) => {
    const { now } = model.simulation
    order(model, 'order-1', now + first)
    order(model, 'order-2', now + second)
  },
  handler: () => async (_payload, ctx) => {
    const guard = newerThan('updatedAt', ctx.sentAt)
    const set = { by: ctx.uniqueRequestId }
    const written = await ctx.write('order', {
      TableName: 'orders',
      Key: { id: 'o' },
      set,
      guard,
    })
    if (!written.applied) throw new StaleError('a newer write was first')
  },
  judge: ({ table }) => {
    const [item] = table.base.userItems('orders')
    return item?.['by'] === 'order-2' ? undefined : 'not the newest stands'
  },
})

/** No `verify` can see a call that still is on its way. */
const VISIBLE: readonly CrashCallFault[] = ['request lost', 'answer lost', 'killed before']

const verified = (faults?: readonly CrashCallFault[]): Omit<Scenario, 'name'> => ({
  consumer: consumerWith({ maxAttempts: 3 }),
  begin: receivedTwice,
  handler: (model, actor) => async (_payload, ctx) => {
    await ctx.call('charge', ({ idempotencyKey }) => charge(model, actor, idempotencyKey, faults), {
      ifUnknown: ({ idempotencyKey }) =>
        model.calls.includes(idempotencyKey)
          ? { outcome: 'done', result: 'receipt' }
          : { outcome: 'not done' },
    })
  },
  judge: (model) => calledOnce(model) ?? ends(model, 'completed'),
})

export type ScenarioName =
  | 'write'
  | 'sentTwice'
  | 'oneBatch'
  | 'repeat'
  | 'stop'
  | 'verify'
  | 'resent'
  | 'hopeless'
  | 'sentBack'
  | 'newest'
  | 'sameTime'
  | 'hidden'
  | 'floating'
  | 'lastAttempt'
  | 'sideBySide'
  | 'handedBack'
  | 'twoLives'
  | 'confirmedLate'

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = {
  write: {
    name: '(a) write and send, received twice',
    begin: receivedTwice,
    ...applyAndSend,
  },
  sentTwice: {
    ...applyAndSend,
    name: '(a) write and send, sent twice',
    begin: sentTwice,
    light: LIGHT,
  },
  oneBatch: {
    name: '(a) write and send, twice in one batch',
    begin: sentTwiceInOneBatch,
    light: LIGHT,
    ...applyAndSend,
  },
  repeat: {
    name: "(b) call, ifUnknown 'repeat'",
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (model, actor) => async (_payload, ctx) => {
      const receipt = await ctx.call('charge', ({ idempotencyKey }) =>
        charge(model, actor, idempotencyKey),
      )
      await ctx.write('receipt', { TableName: 'orders', Key: { id: 'o' }, put: { receipt } })
    },
    judge: (model) =>
      model.calls.length > 0 ? ends(model, 'completed') : 'the service was never called',
  },
  stop: {
    name: "(c) call, ifUnknown 'stop'",
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (model, actor) => async (_payload, ctx) => {
      const options = { ifUnknown: 'stop' } as const
      await ctx.call(
        'charge',
        ({ idempotencyKey }) => charge(model, actor, idempotencyKey),
        options,
      )
      await ctx.write('reserve', reserve)
    },
    judge: (model) => {
      if (endOf(model) === 'completed') return calledOnce(model) ?? reservedOnce(model)
      const [token] = model.table.tokens.values()
      if (token?.['status'] !== 'unknown') return 'dead-lettered, and not as unknown'
      return model.calls.length > 1 ? calledOnce(model) : ends(model, 'dead-lettered')
    },
  },
  verify: {
    name: '(d) call, ifUnknown asks',
    ...verified(VISIBLE),
    without: ['clock jumps', 'clock an hour ahead', 'clock an hour behind', 'time is up'],
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
      await ctx.write('reserve', reserve)
      throw new Error('never')
    },
    judge: (model) => ends(model, 'dead-lettered') ?? reservedOnce(model) ?? buriedOnce(model),
  },
  sentBack: {
    name: '(f) a dead letter sent back, received twice',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: sentBack,
    handler: (model) => async (_payload, ctx) => {
      await ctx.write('reserve', reserve)
      if (model.deadLetters.sent === 0) throw new Error('not before it is repaired')
    },
    judge: (model) => ends(model, 'completed') ?? reservedOnce(model),
  },
  newest: { ...newest(-2, -1), name: '(g) newerThan, two requests', light: LIGHT },
  sameTime: {
    ...newest(-1, -1),
    name: '(g) newerThan, two requests of one millisecond',
    light: LIGHT,
  },
  hidden: {
    name: '(h) fails twice, comes back by visibility',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 6, transport: 'visibility' }),
    ...failsTwice,
  },
  floating: {
    name: '(i) throws while a write is on its way',
    light: ['killed on the wire', 'clock jumps'],
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      ctx.write('reserve', reserve).catch(() => {})
      throw new TerminalError('given up')
    },
    judge: (model) => ends(model, 'dead-lettered') ?? reservedOnce(model),
  },
  sideBySide: {
    name: '(n) fails while a call is under way',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 4 }),
    begin: receivedTwice,
    handler: (model, actor) => async (_payload, ctx) => {
      const call = ctx.call(
        'charge',
        ({ idempotencyKey }) => charge(model, actor, idempotencyKey),
        {
          ifUnknown: 'stop',
        },
      )
      const other = ctx.attempt === 1 ? Promise.reject(new Error('not yet')) : undefined
      await Promise.all([call, other])
    },
    judge: (model) => {
      if (model.calls.length > 1) return calledOnce(model)
      return model.simulation.spent.length > 0
        ? ends(model, 'completed', 'dead-lettered')
        : (calledOnce(model) ?? ends(model, 'completed'))
    },
  },
  handedBack: {
    ...applyAndSend,
    name: '(k) handed back before its handler began',
    begin: outOfTime,
  },
  twoLives: {
    ...livesTwice,
    name: '(l) fails, is redriven, fails again',
    light: LIGHT,
    begin: sentBackOnce,
  },
  confirmedLate: {
    ...livesTwice,
    name: '(m) a confirmation of its first life arrives in its second',
    begin: confirmedLate,
  },
  lastAttempt: {
    ...applyAndSend,
    name: '(j) one attempt only',
    light: LIGHT,
    consumer: consumerWith({ maxAttempts: 1 }),
    begin: receivedTwice,
    judge: (model) => ends(model, 'completed', 'dead-lettered') ?? reservedOnce(model),
  },
}

/** Not promised: `verify` sees only calls that have arrived. */
export const onItsWay: Scenario = { name: "'verify' while the call is on its way", ...verified() }
