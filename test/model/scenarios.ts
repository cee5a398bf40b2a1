import type { Handle } from '../../src/batch/attempt.ts'
import { type Consumer, readOptions } from '../../src/batch/consumer.ts'
import type { RetryOptions } from '../../src/batch/options.ts'
import { buildMessage } from '../../src/envelope/outgoing.ts'
import { newerThan } from '../../src/guard/guard.ts'
import { memoryStore } from '../../src/store/memory/memoryStore.ts'
import { DEAD_LETTER_URL, deliver, type Lab, NEXT_URL, QUEUE_URL } from './lab.ts'
import { type Letter, put } from './sqs.ts'
import { isComplete } from './watch.ts'
import { call } from './call.ts'
import type { Actor, CallFault } from './world.ts'

export interface Scenario {
  readonly name: string
  readonly consumer: () => Consumer
  readonly handler: (lab: Lab, actor: Actor) => Handle
  /** Brings the lab to where exploring starts. */
  readonly begin: (lab: Lab, settle: () => Promise<void>) => Promise<boolean>
  /** At rest: what is wrong, in words. */
  readonly judge: (lab: Lab) => string | undefined
}

const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }

function consumerWith(retry: RetryOptions): () => Consumer {
  return () =>
    readOptions(
      {
        name: 'orders',
        store: memoryStore(),
        queueUrl: QUEUE_URL,
        deadLetterQueueUrl: DEAD_LETTER_URL,
        concurrency: 1,
        logger: silent,
        retry: { delay: (nth) => nth * 2_000, ...retry },
      },
      () => {},
    )
}

const ID = 'order-1'

function order(lab: Lab, id: string, sentAt: number): Letter {
  const message = buildMessage(
    JSON.stringify({ sku: 's', id }),
    {},
    { uniqueRequestId: id, retry: 0, hops: 0, sentAt },
  )
  return put(lab.queue, message, lab.world.now)
}

/** SQS hands one message out twice. */
async function receivedTwice(lab: Lab): Promise<boolean> {
  const letter = order(lab, ID, lab.world.now)
  deliver(lab, letter)
  deliver(lab, letter)
  return true
}

/** The producer sent one request twice. */
async function sentTwice(lab: Lab): Promise<boolean> {
  deliver(lab, order(lab, ID, lab.world.now))
  deliver(lab, order(lab, ID, lab.world.now))
  return true
}

const reserve = { TableName: 'stock', Key: { sku: 's' }, add: { reserved: 1 } }

function reserved({ table }: Lab): number {
  return Number(table.base.userItems('stock')[0]?.['reserved'] ?? 0)
}

function ended({ table, deadLetters }: Lab, id: string): 'completed' | 'dead' | 'both' | 'nowhere' {
  const token = table.base.items().find((item) => item['pk'] === `lock#orders/${id}`)
  const dead = deadLetters.letters.length > 0
  if (isComplete(token)) return dead ? 'both' : 'completed'
  return dead ? 'dead' : 'nowhere'
}

function expectEnd(lab: Lab, allowed: readonly ('completed' | 'dead')[]): string | undefined {
  const end = ended(lab, ID)
  return allowed.some((each) => each === end) ? undefined : `the request ended ${end}`
}

function expectOnce(lab: Lab): string | undefined {
  if (reserved(lab) > 1) return `the effect happened ${reserved(lab)} times`
  return ended(lab, ID) === 'completed' && reserved(lab) !== 1
    ? 'completed without its effect'
    : undefined
}

const CALL: readonly CallFault[] = [
  'request lost',
  'answer lost',
  'killed before',
  'killed after',
  'killed on the wire',
]

type Answer = { readonly receipt: string } | Error

/** The outside service counts what reaches it. */
async function charge(
  lab: Lab,
  actor: Actor,
  key: string,
  what = 'calls the service',
): Promise<string> {
  lab.watch.called('charge', key)
  const answer = await call<Answer>(lab.world, actor, {
    what,
    apply: async () => {
      lab.service.calls.push(key)
      return { receipt: `receipt of ${key.slice(0, 4)}` }
    },
    unanswered: () => new Error('timeout'),
    told: (answered) => (answered instanceof Error ? answered.message : answered.receipt),
    faults: CALL,
  })
  if (answer instanceof Error) throw answer
  return answer.receipt
}

export const scenarios: Readonly<Record<string, Scenario>> = {
  applyOnce: {
    name: '(a) applyOnce and send, one message received twice',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      await ctx.send(NEXT_URL, { paid: true })
    },
    judge: (lab) =>
      expectEnd(lab, ['completed']) ??
      expectOnce(lab) ??
      (lab.next.letters.length > 0 ? undefined : 'nothing was sent on'),
  },
  sentTwice: {
    name: '(a) applyOnce and send, one request sent twice',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: sentTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      await ctx.send(NEXT_URL, { paid: true })
    },
    judge: (lab) =>
      expectEnd(lab, ['completed']) ??
      expectOnce(lab) ??
      (lab.next.letters.length > 0 ? undefined : 'nothing was sent on'),
  },
  idempotent: {
    name: '(b) once, idempotent',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (lab, actor) => async (_payload, ctx) => {
      const receipt = await ctx.once('charge', ({ idempotencyKey }) =>
        charge(lab, actor, idempotencyKey),
      )
      await ctx.put({ TableName: 'orders', Key: { id: ID }, put: { receipt } })
    },
    judge: (lab) => {
      if (new Set(lab.service.calls).size !== 1) return 'the service saw more than one key'
      return expectEnd(lab, ['completed'])
    },
  },
  once: {
    name: "(c) once, effect 'once'",
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (lab, actor) => async (_payload, ctx) => {
      await ctx.once('charge', ({ idempotencyKey }) => charge(lab, actor, idempotencyKey), {
        effect: 'once',
      })
      await ctx.applyOnce('reserve', reserve)
    },
    judge: (lab) => {
      const { calls } = lab.service
      if (calls.length > 1) return `the service was called ${calls.length} times`
      const end = ended(lab, ID)
      if (end === 'completed' && calls.length !== 1) return 'completed without its call'
      if (end === 'dead' && lab.table.base.items()[0]?.['status'] !== 'unknown')
        return 'dead-lettered, but not as unknown'
      return expectEnd(lab, ['completed', 'dead']) ?? expectOnce(lab)
    },
  },
  verify: {
    name: "(d) once, effect 'verify'",
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: receivedTwice,
    handler: (lab, actor) => async (_payload, ctx) => {
      await ctx.once('charge', ({ idempotencyKey }) => charge(lab, actor, idempotencyKey), {
        effect: 'verify',
        verify: ({ idempotencyKey }) => {
          const done = lab.service.calls.includes(idempotencyKey)
          return done ? { outcome: 'done', result: 'receipt' } : { outcome: 'not done' }
        },
      })
    },
    judge: (lab) => {
      const { calls } = lab.service
      return calls.length === 1
        ? expectEnd(lab, ['completed'])
        : `the service was called ${calls.length} times`
    },
  },
  failing: {
    name: '(e) fails twice and is re-sent',
    consumer: consumerWith({ maxAttempts: 4 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      if (ctx.attempt <= 2) throw new Error('not yet')
    },
    judge: (lab) => expectEnd(lab, ['completed']) ?? expectOnce(lab),
  },
  hopeless: {
    name: '(f) fails always',
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      throw new Error('never')
    },
    judge: (lab) => expectEnd(lab, ['dead']) ?? expectOnce(lab),
  },
  redriven: {
    name: '(f) dead letter sent back, received twice',
    consumer: consumerWith({ maxAttempts: 2 }),
    begin: async (lab, settle) => {
      deliver(lab, order(lab, ID, lab.world.now))
      await settle()
      const [dead] = lab.deadLetters.letters
      if (dead === undefined || lab.world.violation !== undefined) return true
      lab.deadLetters.letters = []
      const back = put(lab.queue, dead.message, lab.world.now)
      deliver(lab, back)
      deliver(lab, back)
      return true
    },
    handler: (lab) => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      if (lab.deadLetters.sent === 0) throw new Error('not before it was mended')
    },
    judge: (lab) => expectEnd(lab, ['completed']) ?? expectOnce(lab),
  },
  newest: {
    name: '(g) newerThan, two requests',
    consumer: consumerWith({ maxAttempts: 3 }),
    begin: async (lab) => {
      const { now } = lab.world
      deliver(lab, order(lab, 'order-1', now - 2))
      deliver(lab, order(lab, 'order-2', now - 1))
      return true
    },
    handler: () => async (payload, ctx) => {
      await ctx.update({
        TableName: 'orders',
        Key: { id: 'o' },
        set: { by: ctx.uniqueRequestId },
        guard: newerThan('updatedAt', ctx.sentAt),
      })
      void payload
    },
    judge: (lab) => {
      const by = lab.table.base.userItems('orders')[0]?.['by']
      return by === 'order-2' ? undefined : `${String(by)} stands, and order-2 is newer`
    },
  },
  visibility: {
    name: '(h) fails twice, comes back by visibility',
    consumer: consumerWith({ maxAttempts: 4, transport: 'visibility' }),
    begin: receivedTwice,
    handler: () => async (_payload, ctx) => {
      await ctx.applyOnce('reserve', reserve)
      if (ctx.attempt <= 2) throw new Error('not yet')
    },
    judge: (lab) => expectEnd(lab, ['completed']) ?? expectOnce(lab),
  },
}
