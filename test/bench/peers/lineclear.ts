import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import type { Peer } from './peer.ts'

/** Lineclear with its defaults, log lines included: one a record. */
export const lineclear: Peer = ({
  client,
  work,
  identity = 'record',
  concurrency,
  quiet = false,
}) =>
  recordHandler(
    {
      name: 'orders',
      store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
      ...(concurrency !== undefined && { concurrency }),
      ...(identity === 'payload' && { id: orderIdOf }),
      ...(quiet && { logger: SILENT }),
    },
    async (payload) => {
      await work(payload)
    },
  )

function orderIdOf(payload: unknown): string {
  return typeof payload === 'object' && payload !== null && 'orderId' in payload
    ? String(payload.orderId)
    : ''
}

const nothing = (): void => {}
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing }
