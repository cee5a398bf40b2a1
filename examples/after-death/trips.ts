import { defineFlow, type RecordHandlerOptions, TerminalError } from 'lineclear'
import { z } from 'zod'

const Trip = z.object({ tripId: z.string(), wantedAt: z.iso.datetime(), days: z.int() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

/** The payment provider. */
export interface Bank {
  charge(tripId: string, idempotencyKey: string): Promise<'paid' | 'refused'>
  /** Voids what was charged with this key, and what may still come with it. */
  voidPayment(idempotencyKey: string): Promise<void>
}

/** Reserves, charges and confirms in three functions. The newest wish of a traveller takes over from an older one. */
export function trips(given: Given, queueUrl: (name: string) => string, bank: Bank) {
  const trip = defineFlow({
    ...given,
    name: 'trips',
    key: ({ tripId }) => tripId,
    sentAt: ({ wantedAt }) => wantedAt,
    onConflict: 'supersede',
    stages: {
      reserve: { schema: Trip, queueUrl: queueUrl('reserve') },
      charge: { schema: Trip, queueUrl: queueUrl('charge') },
      confirm: { schema: Trip, queueUrl: queueUrl('confirm'), final: true },
    },
    failures: { queueUrl: queueUrl('failures') },
  })
  return {
    reserve: trip.stageHandler('reserve', async (wish, ctx) => {
      const { tripId, days } = wish
      await ctx.write('reserve', { TableName: 'rooms', Key: { tripId }, add: { nights: days } })
      // What has to be given back is kept for the failure handler, which gets no payload.
      await ctx.call('nights', () => days)
      await ctx.next('charge', wish)
    }),
    charge: trip.stageHandler('charge', async (wish, ctx) => {
      const charged = await ctx.call(
        'card',
        ({ idempotencyKey }) => bank.charge(wish.tripId, idempotencyKey),
        { ifUnknown: 'stop' },
      )
      if (charged === 'refused') throw new TerminalError(`the bank refuses ${wish.tripId}`)
      await ctx.next('confirm', wish)
    }),
    confirm: trip.stageHandler('confirm', ({ tripId }, ctx) =>
      ctx.write('confirm', { TableName: 'rooms', Key: { tripId }, set: { state: 'confirmed' } }),
    ),
    /** Once for each end. */
    failures: trip.failureHandler(async (end, ctx) => {
      const { key: tripId, made = [] } = end
      // A dead trip can be redriven: what it has made stays, and an operator looks at it.
      if (!end.final) {
        const because = end.died.map(({ stage, reason }) => `${stage}: ${reason}`).join()
        const set = { because, state: 'failed' }
        await ctx.write('failed', { TableName: 'trouble', Key: { tripId }, set })
        return
      }
      // Also when it is not known whether it was charged.
      if (made.some(({ name }) => name === 'card')) {
        await ctx.call('void', () => bank.voidPayment(end.keyOf('charge', 'card')))
      }
      const nights = await end.callOf('reserve', 'nights')
      if (nights.outcome === 'made') {
        const add = { nights: -Number(nights.result) }
        await ctx.write('release', { TableName: 'rooms', Key: { tripId }, add })
      }
    }),
  }
}
