import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { orderIdOf } from '../events.ts'
import type { Peer } from './peer.ts'
import { quietly } from './quietly.ts'

/** Lineclear with one write to a table of the user's, made once for each record. */
export const stock: Peer = ({ client, work, quiet }) =>
  recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
      ...quietly(quiet),
    },
    async (payload, ctx) => {
      await work(payload)
      await ctx.write('reserve', {
        TableName: 'stock',
        Key: { id: orderIdOf(payload) },
        add: { reserved: 1 },
      })
    },
  )
