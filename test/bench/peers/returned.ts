import { writeHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { orderIdOf } from '../events.ts'
import type { Peer } from './peer.ts'
import { quietly } from './quietly.ts'

/** Lineclear with one write to a table of the user's, which the handler returns. */
export const returned: Peer = ({ client, work, quiet }) =>
  writeHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
      ...quietly(quiet),
    },
    async (payload) => {
      await work(payload)
      return { TableName: 'stock', Key: { id: orderIdOf(payload) }, add: { reserved: 1 } }
    },
  )
