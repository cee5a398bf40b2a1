import { defineFlow } from 'lineclear'
import { type CrashCloud, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { consumerOf, Key, SOUND } from './consumerOf.ts'

const Trip = z.object({ tripId: z.string() })
const Found = z.object({ searchId: z.string(), price: z.number() })
type Question = z.infer<typeof Trip> & { readonly searchId: string }

/** Asks an airline, and continues with its answer. */
function trip(cloud: CrashCloud, timeout?: '5s') {
  const { store, clients, clock, logger, queueUrl } = cloud
  const flow = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    key: ({ tripId }) => tripId,
    stages: { search: { schema: Trip, queueUrl: queueUrl('search') } },
    awaitingSteps: {
      found: {
        schema: Found,
        id: ({ searchId }) => searchId,
        queueUrl: queueUrl('found'),
        ...(timeout && { timeout }),
      },
    },
  })
  return {
    search: flow.stageHandler('search', async ({ tripId }, ctx) => {
      const searchId = `search ${tripId}`
      await ctx.awaitStep('found', searchId, () =>
        ctx.send(queueUrl('airline'), { searchId, tripId }),
      )
    }),
    found: flow.answerHandler(
      'found',
      ({ price }, ctx) =>
        ctx.write('offer', { TableName: 'offers', Key, set: { price }, add: { made: 1 } }),
      {
        onTimeout: (ctx) =>
          ctx.write('none', { TableName: 'offers', Key, put: { price: 0, made: 1 } }),
      },
    ),
  }
}

const airline = ({ searchId }: Question) => ({ found: { searchId, price: 5 } })

describe('an outside system that answers by a message', () => {
  it('continues once, however often and whenever the answer arrives: sound', async () => {
    const only = ['killed on the wire', 'request lost', 'answered twice'] as const
    const options = { answers: { airline }, together: 1, only }
    const report = await exploreCrashes(trip, { tripId: 't' }, options)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('answers before the question has ended: sound, as far as it is explored', async () => {
    const options = { answers: { airline }, limit: 300 }
    expect(await exploreCrashes(trip, { tripId: 't' }, options)).toMatchObject(SOUND)
  })

  it('answers in time or too late, and both are right', async () => {
    const late = (cloud: CrashCloud) => trip(cloud, '5s')
    const options = { answers: { airline }, together: 1, faults: 0 }
    const report = await exploreCrashes(late, { tripId: 't' }, options)
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject({ ...SOUND, complete: true })
  })

  it('has answered already, by a message beside the first one', async () => {
    const also = { found: [{ searchId: 'search t', price: 5 }] }
    const report = await exploreCrashes(trip, { tripId: 't' }, { also, together: 1, limit: 300 })
    expect(report.text).toMatch('nothing lost')
    expect(report).toMatchObject(SOUND)
  })

  it('whose second answer is handled as if it were another one: doubled', async () => {
    const wrong = (cloud: CrashCloud) => ({
      ...trip(cloud),
      found: consumerOf((_, ctx) =>
        ctx.write('offer', { TableName: 'offers', Key, add: { made: 1 } }),
      )(cloud),
    })
    const options = { answers: { airline }, together: 1 }
    const report = await exploreCrashes(wrong, { tripId: 't' }, options)
    expect(report.finding?.anomaly).toBe('doubled')
    expect(report.trace).toContain('airline answers m1 twice')
    expect(await exploreCrashes(wrong, { tripId: 't' }, { ...options, only: [] })).toMatchObject(
      SOUND,
    )
  })

  it('is not made of anything but functions', async () => {
    const made = exploreCrashes(trip, { tripId: 't' }, { answers: { airline: 'yes' as never } })
    await expect(made).rejects.toThrow('answers.airline: expected a function')
  })
})
