import { circuitBreaker, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { orderIdOf } from '../events.ts'
import type { Peer } from './peer.ts'
import { quietly } from './quietly.ts'

/** Lineclear with its defaults, log lines included: one a record. */
export const lineclear: Peer = ({
  client,
  work,
  identity = 'record',
  concurrency,
  quiet,
  circuitBreaker: withBreaker,
}) =>
  recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
      ...(concurrency !== undefined && { concurrency }),
      ...(identity === 'payload' && { id: orderIdOf }),
      ...(withBreaker === true && {
        circuitBreaker: circuitBreaker({ after: 20, when: () => true }),
      }),
      ...quietly(quiet),
    },
    async (payload) => {
      await work(payload)
    },
  )
