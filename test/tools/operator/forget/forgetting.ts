import { INDEX_ATTRIBUTES } from '../../../../src/library/protocol/claim/statusIndex.ts'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { defineFlow, TerminalError } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { z } from 'zod'
import type { Store } from '../../../../src/library/protocol/store/store.ts'
import { applyForgetting } from '../../../../src/tools/operator/forget/applyForgetting.ts'
import {
  type ForgetReport,
  planForgetting,
  type Taken,
} from '../../../../src/tools/operator/forget/planForgetting.ts'
import { toForget } from '../../../../src/tools/operator/forget/subject.ts'
import { applyPlan } from '../../../../src/tools/operator/plan/applyPlan.ts'
import { planDecision } from '../../../../src/tools/operator/plan/planDecision.ts'
import type { Decision } from '../../../../src/tools/operator/item/decisions.ts'
import { documented } from '../../../proof/formats/page.ts'

export const SECRET = 'Jane Doe, 4 Elm Street'

const Trip = z.object({ key: z.string() })
const Quote = z.object({ id: z.string(), from: z.string() })

/** book, two quotes that are joined, and charge, which dies behind its outside call. */
export async function deadTrip() {
  const dead = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({ queues: { book: dead, quotes: dead, charge: dead, dead: {} } })
  const { clients, clock, logger } = cloud
  const store = documented(cloud.store)
  const state = {
    calls: 0,
    ends: 0,
    broken: true,
    atBegin: async (): Promise<void> => {},
    atEnd: async (): Promise<void> => {},
  }
  const make = (own: Store) => {
    const flow = defineFlow({
      name: 'trips',
      key: ({ key }) => key,
      store: own,
      clients,
      clock,
      logger,
      stages: {
        book: { schema: Trip, queueUrl: cloud.queueUrl('book') },
        charge: { schema: Trip, queueUrl: cloud.queueUrl('charge'), final: true },
      },
      awaitingSteps: {
        quote: { schema: Quote, id: ({ id }) => id, queueUrl: cloud.queueUrl('quotes') },
      },
    })
    const charge = flow.stageHandler('charge', async (_, ctx) => {
      await state.atBegin()
      await ctx.call('pay', () => {
        state.calls += 1
        return SECRET
      })
      if (state.broken) throw new TerminalError(`refused: ${SECRET}`)
      await state.atEnd()
      state.ends += 1
    })
    return { flow, charge }
  }
  const { flow, charge } = make(store)
  const book = flow.stageHandler('book', (_, ctx) =>
    ctx.awaitStep('quote', ['q-1', 'q-2'], () => {}),
  )
  const quoted = flow.answerHandler('quote', (_, ctx) => ctx.next('charge', { key: ctx.key }))
  await flow.start({ key: 'k' }, { uniqueRequestId: 'r-1' })
  await cloud.drain({ book })
  for (const id of ['q-1', 'q-2']) cloud.send('quotes', { id, from: SECRET })
  await cloud.drain({ quotes: quoted, charge })
  const reader = {
    partition: async (pk: string) => cloud.store.items().filter((item) => item['pk'] === pk),
  }
  const decide = async (word: Decision, details: Parameters<typeof planDecision>[2] = {}) => {
    const now = clock.now()
    const plan = await planDecision('flow#trips/k', word, details, { store, reader, now })
    if (plan.kind !== 'change') throw new Error(plan.because)
    const messenger = undefined as never
    await applyPlan(store, plan, {
      by: 'ann',
      why: `${SECRET} called`,
      force: true,
      now,
      messenger,
    })
  }
  /** As `decide again` of its step leaves it: it is not listed, and what comes for it continues it. */
  const unlist = async (): Promise<void> => {
    const key = { pk: 'flow#trips/k', sk: 'dead#r-1' }
    await store.update([{ key, where: [], remove: INDEX_ATTRIBUTES }])
  }
  const shared = (own: Store = store) => ({
    subject: toForget('trips/k'),
    objects: undefined,
    signal: new AbortController().signal,
    store: own,
    reader,
    now: clock.now(),
  })
  return {
    cloud,
    store,
    state,
    charge,
    make,
    decide,
    unlist,
    text: () =>
      JSON.stringify(cloud.store.items(), (_, value: unknown) =>
        value instanceof Set ? [...value] : value,
      ),
    plan: async (): Promise<ForgetReport & { readonly taken: readonly Taken[] }> => {
      const taken: Taken[] = []
      const report = await planForgetting(shared(), (each) => taken.push(each))
      return { ...report, taken }
    },
    apply: async (only: readonly Taken[], own?: Store): Promise<ForgetReport> =>
      applyForgetting({
        ...shared(own),
        only,
        by: 'ann',
        why: 'request 12',
        onPage: async () => undefined,
      }),
    /** Moves what is on the dead-letter queue to the queue of its stage, as it is. */
    redrive: async (): Promise<void> => {
      await cloud.deliver('dead', async ({ Records }: SQSEvent) => {
        const Entries = Records.map(({ body, messageAttributes }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageAttributes: Object.fromEntries(
            Object.entries(messageAttributes).map(([name, { dataType, stringValue }]) => [
              name,
              { DataType: dataType, StringValue: stringValue },
            ]),
          ),
        }))
        const QueueUrl = cloud.queueUrl('charge')
        await clients.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
      })
    },
  }
}
