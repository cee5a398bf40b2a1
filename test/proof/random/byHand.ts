import { hash } from 'node:crypto'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { defineFlow, type Store } from 'lineclear'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { z } from 'zod'
import { answered } from '../../../src/library/protocol/claim/awaiting/awaiting.ts'
import { itemKey } from '../../../src/library/entries/sweeper/address.ts'
import {
  applyPlan,
  type ChangePlan,
  type PlannedChange,
} from '../../../src/tools/operator/plan/applyPlan.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import type { Decision } from '../../../src/tools/operator/item/decisions.ts'
import { awsMessenger } from '../../../src/library/adapters/send/awsMessenger.ts'
import { memoryQueueArn, memoryQueueUrl } from '../../../src/testing/queues/description.ts'
import { put, receive, remove } from '../../../src/testing/queues/simulatedQueue.ts'
import { type Life, mortalClient, mortalStore, openLife } from './mortal.ts'
import { openQueueDouble } from './queueDouble.ts'

/** Changes a plan of the operator before it is applied: a protection is switched off. */
export type Alter = (plan: PlannedChange) => PlannedChange

const silent = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }
const CONTEXT = { functionName: 'trip', getRemainingTimeInMillis: () => 20_000 } as Context
const WRONG = 666
const RIGHT = 7
/** More calls than an actor makes before it is done. */
const CALLS = 12

/**
 * A run has died in the handler of a wrong answer, or of its timeout. Then happen at the same time, in an order by chance, and killed
 * by chance: the dead letter is redriven, the operator reopens the step, answers and ends the wait, and the outside system answers.
 * @returns what went wrong
 */
export async function byHand(seed: number, alter: Alter = (plan) => plan): Promise<string[]> {
  const next = randomOf(seed)
  const clock = fakeClock(Date.UTC(2026, 0, 1))
  const queues = openQueueDouble(() => clock.now())
  const base = memoryStore()
  const odd: string[] = []
  /** An attempt may run only with the answer that its step shows: no operator can have given it up. */
  const isCounted = (what: string): boolean => {
    const step = base.items().find((item) => itemKey(item).sk.startsWith('await#')) ?? {}
    const body = JSON.stringify({ id: 'q', price: Number(what) })
    return what === 'timeout'
      ? step['joinedBy'] === what
      : Object.values(step).includes(answered(hash('sha256', body, 'base64url')))
  }
  let broken = true
  let operators = 0
  const turns = openTurns(next)

  const flowOf = (store: Store, sqs: SQSClient) => {
    const flow = defineFlow({
      name: 'trip',
      store,
      clients: { sqs },
      clock: { ...clock, sleep: async () => {} },
      logger: silent,
      retry: { maxAttempts: 1, delay: () => 0 },
      key: ({ key }) => key,
      giveUpAfter: '10d',
      stages: {
        book: { schema: z.object({ key: z.string() }), queueUrl: memoryQueueUrl('book') },
        pack: { schema: z.object({ key: z.string() }), queueUrl: memoryQueueUrl('pack') },
      },
      awaitingSteps: {
        quote: {
          schema: z.object({ id: z.string(), price: z.number() }),
          id: ({ id }) => id,
          queueUrl: memoryQueueUrl('quote'),
        },
      },
    })
    const go = async (what: string, ctx: { write(n: string, w: object): Promise<unknown> }) => {
      if (broken) throw new Error('a bad deployment')
      if (!isCounted(what)) odd.push(`the handler runs with ${what}, which the step does not show`)
      await ctx.write('offer', { TableName: 'offers', Key: { id: 'o' }, add: { made: 1 } })
    }
    return {
      flow,
      book: flow.stageHandler('book', async ({ key }, ctx) => {
        if (beside) await ctx.next('pack', { key })
        await ctx.awaitStep('quote', 'q', () => {}, { timeout: '1h' })
      }),
      pack: flow.stageHandler('pack', () => {}),
      quote: flow.answerHandler('quote', ({ price }, ctx) => go(String(price), ctx as never), {
        onTimeout: (ctx) => go('timeout', ctx as never),
      }),
    }
  }
  const beside = next() < 0.5

  async function deliver(name: 'book' | 'pack' | 'quote', life: Life, gated: boolean) {
    const queue = queues.queue(name)
    const queued = queue.messages.find(({ visibleAt }) => visibleAt <= clock.now())
    if (queued === undefined) return
    const record = receive(queue, queued, clock.now(), memoryQueueArn(name))
    queued.visibleAt = clock.now() + 30_000
    const { store, sqs } = worldOf(life, gated)
    const end = await Promise.race([
      life.died,
      flowOf(store, sqs)[name]({ Records: [record] }, CONTEXT),
    ])
    if (end !== 'died' && end.batchItemFailures.length === 0) remove(queue, queued.id)
  }

  function worldOf(life: Life, gated: boolean): { readonly store: Store; readonly sqs: SQSClient } {
    const lead: Life = gated
      ? { died: life.died, lead: (call) => life.lead(() => turns.wait(call)) }
      : life
    return { store: mortalStore(lead, base), sqs: mortalClient(lead, queues.client) }
  }

  async function operator(plan: (store: Store) => Promise<ChangePlan>, life: Life, gated: boolean) {
    const { store, sqs } = worldOf(life, gated)
    const work = async (): Promise<void> => {
      const planned = await plan(store)
      if (planned.kind !== 'change') return
      const now = clock.now()
      const by = {
        by: `operator ${(operators += 1)}`,
        why: '',
        force: false,
        now,
        messenger: awsMessenger({ sqs }),
      }
      await applyPlan(store, alter(planned), by)
    }
    await Promise.race([life.died, work()])
  }
  const reader = { partition: async (pk: string) => base.items().filter((i) => i['pk'] === pk) }
  const planned = (word: Decision) => (store: Store) => {
    const answer = { id: 'q', price: RIGHT }
    const details = { step: 'quote', request: 'r1', answer, for: 3_600_000 }
    return planDecision('flow#trip/k', word, details, { store, now: clock.now(), reader })
  }
  const plans = {
    reopen: planned('again'),
    complete: planned('answer'),
    fail: planned('timeout'),
  }
  const outside = (price: number): void => {
    const body = JSON.stringify({ id: 'q', price })
    put(queues.queue('quote'), { body, attributes: {} }, clock.now())
  }
  const redrive = (): void => {
    {
      const name = 'dead-letters'
      for (const { message } of queues.queue(name).messages) {
        put(queues.queue('quote'), message, clock.now())
      }
    }
  }
  const immortal = (): Life => openLife(undefined)
  const drain = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      for (const name of ['book', 'quote', 'quote', 'quote'] as const)
        await deliver(name, immortal(), false)
      clock.advance(1_000_000 / 12)
    }
  }

  const { store, sqs } = worldOf(immortal(), false)
  await flowOf(store, sqs).flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver('book', immortal(), false)
  queues.queue('quote').messages.length = 0
  if (next() < 0.7) outside(WRONG)
  else await operator(plans.fail, immortal(), false)
  await deliver('quote', immortal(), false)
  broken = false
  const actors: (() => Promise<void>)[] = []
  const life = (): Life =>
    openLife(
      next() < 0.3 ? { at: 1 + Math.floor(next() * CALLS), applied: next() < 0.5 } : undefined,
    )
  const chosen = (likely: number): boolean => next() < likely
  if (chosen(0.7)) redrive()
  if (chosen(0.5)) outside(RIGHT)
  const times = 1 + Math.floor(next() * 3)
  for (let nth = 0; nth < times; nth++) actors.push(() => deliver('quote', life(), true))
  actors.push(() => operator(plans.reopen, life(), true))
  if (chosen(0.3)) actors.push(() => operator(plans.reopen, life(), true))
  if (chosen(0.6)) {
    actors.push(async () => {
      await operator(plans.complete, life(), true)
      await deliver('quote', life(), true)
    })
  }
  if (chosen(0.2)) actors.push(() => operator(plans.fail, life(), true))
  await turns.run(actors.map((act) => act().catch(() => {})))
  await drain()
  for (let round = 0; round < 3 && made() === 0; round++) {
    await operator(plans.reopen, immortal(), false)
    await operator(plans.complete, immortal(), false)
    await drain()
  }
  for (let round = 0; round < 4; round++) {
    await deliver('pack', immortal(), false)
    clock.advance(1_000_000)
  }

  function made(): unknown {
    return base.userItems('offers')[0]?.['made'] ?? 0
  }
  const record = base.items().find(({ sk }) => sk === 'stage')
  return [
    ...odd,
    ...(made() === 1 ? [] : [`the effect was made ${String(made())} times`]),
    ...(record?.['uniquerequestid'] === undefined ? [] : ['the run does not end']),
  ]
}

/** Lets one call after the other take place, in an order by chance. */
function openTurns(next: () => number) {
  const waiting: (() => void)[] = []
  return {
    wait: async <T>(call: () => Promise<T>): Promise<T> => {
      await new Promise<void>((resolve) => void waiting.push(resolve))
      return call()
    },
    run: async (actors: readonly Promise<void>[]): Promise<void> => {
      const state = { open: true }
      const all = Promise.all(actors).then(() => void (state.open = false))
      while (state.open) {
        await new Promise((resolve) => setImmediate(resolve))
        waiting.splice(Math.floor(next() * waiting.length), 1)[0]?.()
      }
      await all
    },
  }
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mix = Math.imul(state ^ (state >>> 15), state | 1)
    mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
    return ((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32
  }
}
