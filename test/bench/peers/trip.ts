import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { defineFlow } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { memoryCloud } from 'lineclear/testing'
import { z } from 'zod'

const QUEUES = ['book', 'pay', 'ship'] as const
const Trip = z.object({ key: z.string() })

export interface TripOptions {
  readonly client: DynamoDBClient
  /** Each stage makes one call by `ctx.call`; `traced`: one that may not be repeated. */
  readonly call?: boolean | 'traced'
}

/** A flow of three stages whose table is that of the client, and whose queues are in memory. */
export interface TripFlow {
  /** Starts a run for each key, and delivers until all have ended. @returns how many ended */
  run(keys: readonly string[], batchSize: number): Promise<number>
}

export function tripFlow({ client, call = false }: TripOptions): TripFlow {
  const cloud = memoryCloud({ queues: { book: {}, pay: {}, ship: {} } })
  const { clients, clock, logger } = cloud
  let ended = 0
  const how = call === 'traced' ? [{ ifUnknown: 'stop' } as const] : []
  const trip = defineFlow({
    name: 'trip',
    store: dynamoDbStore({ tableName: 'lineclear', client }),
    key: ({ key }) => key,
    stages: {
      book: { schema: Trip, queueUrl: cloud.queueUrl('book') },
      pay: { schema: Trip, queueUrl: cloud.queueUrl('pay') },
      ship: { schema: Trip, queueUrl: cloud.queueUrl('ship'), final: true },
    },
    clients,
    clock,
    logger,
  })
  const handlers = {
    book: trip.stageHandler('book', async (payload, ctx) => {
      if (call) await ctx.call('call', () => 1, ...how)
      await ctx.next('pay', payload)
    }),
    pay: trip.stageHandler('pay', async (payload, ctx) => {
      if (call) await ctx.call('call', () => 1, ...how)
      await ctx.next('ship', payload)
    }),
    ship: trip.stageHandler('ship', async (_, ctx) => {
      if (call) await ctx.call('call', () => 1, ...how)
      ended += 1
    }),
  }
  return {
    async run(keys, batchSize) {
      ended = 0
      clock.advance(1)
      await Promise.all(keys.map((key) => trip.start({ key })))
      for (const queue of QUEUES) {
        for (let left = keys.length; left > 0; left -= batchSize) {
          await cloud.deliver(queue, handlers[queue], { batchSize })
        }
      }
      return ended
    },
  }
}
