import { idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import type { Order } from '../events.ts'
import { oneByOne } from './oneByOne.ts'
import type { Peer } from './peer.ts'
import { quietly } from './quietly.ts'

/** A function that runs once for each order. */
export const lineclearCalls: Peer = ({ client, work, quiet }) =>
  oneByOne(
    idempotent(
      {
        store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
        ...quietly(quiet),
        name: 'orders',
        key: ({ orderId }: Order) => orderId,
      },
      async (order: Order) => {
        await work(order)
        return { accepted: true }
      },
    ),
  )
