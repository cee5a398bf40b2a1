import { defineFlow } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Parcel = z.object({ parcelId: z.string(), orderedAt: z.number(), country: z.string() })

/** Packs a parcel, and hands it to the carrier. A newer order of the same parcel takes the place of the older one. */
export function parcels({ cloud, options, tables, isRepaired }: Shop) {
  const box = { TableName: tables.stock, Key: { sku: 'box' }, add: { reserved: 1 } } as const
  const flow = defineFlow({
    ...options,
    name: 'parcels',
    key: ({ parcelId }) => parcelId,
    sentAt: ({ orderedAt }) => orderedAt,
    retry: { maxAttempts: 2, delay: '1s' },
    stages: {
      pack: { schema: Parcel, queueUrl: cloud.queueUrl('pack') },
      ship: { schema: Parcel, queueUrl: cloud.queueUrl('ship'), final: true },
    },
  })
  const pack: QueueHandler = flow.stageHandler('pack', async (parcel, ctx) => {
    await ctx.write('box', box)
    await ctx.next('ship', parcel)
  })
  const ship: QueueHandler = flow.stageHandler('ship', async ({ parcelId, country }, ctx) => {
    await ctx.call('book', () => {
      if (country !== 'Malta' || isRepaired('carrier')) return `tracking number of ${parcelId}`
      throw new TypeError(`carrier: no tariff for ${country} (parcel ${parcelId})`)
    })
  })
  return { start: flow.start, pack, ship }
}
