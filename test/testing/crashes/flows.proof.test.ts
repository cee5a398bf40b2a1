import { defineFlow } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Key, SOUND } from './consumerOf.ts'

const Trip = z.object({ tripId: z.string() })
const Offer = z.object({ offerId: z.string(), price: z.number() })

const adding = (name: string, n = 1) => ({ TableName: 't', Key, add: { [name]: n } }) as const

function basics({ store, clients, clock, logger }: CrashCloud) {
  const key = ({ tripId }: z.infer<typeof Trip>): string => tripId
  return { name: 'trip', store, clients, clock, logger, key }
}

/** Two branches side by side: the last one to settle ends the run. */
function branches(cloud: CrashCloud) {
  const { queueUrl } = cloud
  const stage = (name: string) => ({ schema: Trip, queueUrl: queueUrl(name) })
  const trip = defineFlow({
    ...basics(cloud),
    stages: { book: stage('book'), seat: stage('seat'), meal: stage('meal') },
  })
  return {
    book: trip.stageHandler('book', async ({ tripId }, ctx) => {
      await ctx.next('seat', { tripId })
      await ctx.next('meal', { tripId })
    }),
    seat: trip.stageHandler('seat', (_, ctx) => ctx.write('n', adding('seats'))),
    meal: trip.stageHandler('meal', (_, ctx) => ctx.write('n', adding('meals'))),
  }
}

/** Two airlines are asked; the offers of both are counted. */
function join(cloud: CrashCloud) {
  const { queueUrl } = cloud
  const trip = defineFlow({
    ...basics(cloud),
    stages: { ask: { schema: Trip, queueUrl: queueUrl('ask') } },
    awaitingSteps: {
      offer: { schema: Offer, id: ({ offerId }) => offerId, queueUrl: queueUrl('offer') },
    },
  })
  return {
    ask: trip.stageHandler('ask', (_, ctx) =>
      ctx.awaitStep('offer', ['a', 'b'], async () => {
        for (const offerId of ['a', 'b']) await ctx.send(queueUrl('airline'), { offerId })
      }),
    ),
    offer: trip.answerHandler('offer', (_, ctx) => {
      const price = [...ctx.answers.values()].reduce((sum, offer) => sum + offer.price, 0)
      return ctx.write('price', adding('price', price))
    }),
  }
}

/** A call to a system that knows no keys, and one whose answer decides what is written. */
function calls(cloud: CrashCloud) {
  const { queueUrl, outside } = cloud
  const trip = defineFlow({
    ...basics(cloud),
    stages: {
      pay: { schema: Trip, queueUrl: queueUrl('pay') },
      ship: { schema: Trip, queueUrl: queueUrl('ship'), final: true },
    },
  })
  return {
    pay: trip.stageHandler('pay', async ({ tripId }, ctx) => {
      await ctx.call('charge', () => outside('charge'), { ifUnknown: 'stop' })
      await ctx.next('ship', { tripId })
    }),
    ship: trip.stageHandler('ship', (_, ctx) => ctx.write('n', adding('parcels'))),
  }
}

async function explore(
  build: Parameters<typeof exploreCrashes>[0],
  options: CrashOptions = {},
): Promise<unknown> {
  return exploreCrashes(build, { tripId: 't' }, { together: 1, ...options })
}

it('branches side by side end their run once, after both: sound, as far as it is explored', async () => {
  expect(await explore(branches, { limit: 400 })).toMatchObject(SOUND)
})

it('a join continues once, with every answer: sound, as far as it is explored', async () => {
  const answers = {
    airline: ({ offerId }: { readonly offerId: string }) => ({ offer: { offerId, price: 5 } }),
  }
  expect(await explore(join, { answers, limit: 600 })).toMatchObject(SOUND)
})

it('a call with an unknown outcome is not repeated, in a system without idempotency keys', async () => {
  expect(await explore(calls, { keys: 'ignored' })).toMatchObject({ ...SOUND, complete: true })
})
