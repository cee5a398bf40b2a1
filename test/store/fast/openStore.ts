import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { dynamoDbStore } from '../../../src/store/dynamodb/index.ts'
import type { Item, Store, StoreKey } from '../../../src/store/store.ts'
import { recordingHandler, type Reply, type Sent, wayOf } from './recordingHandler.ts'

export const CREDENTIALS = { accessKeyId: 'id', secretAccessKey: 'secret' }
export const KEY: StoreKey = { pk: 'p', sk: 's' }

export interface Opened {
  readonly client: DynamoDBClient
  readonly store: Store
  readonly requests: readonly Sent[]
  /** Which way each request went. */
  ways(): string[]
  /** Lets time pass, milliseconds. */
  wait(time: number): void
}

/** A store whose requests are kept and answered without a network. */
export function openStore(
  config: DynamoDBClientConfig = {},
  reply?: (sent: Sent, nth: number) => Reply | undefined,
  warm?: boolean,
): Opened {
  const requestHandler = recordingHandler(reply)
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: CREDENTIALS,
    requestHandler,
    ...config,
  })
  let now = 0
  const clock = { now: () => now, sleep: async () => {} }
  const { requests } = requestHandler
  return {
    client,
    store: dynamoDbStore({
      tableName: 'lineclear',
      client,
      clock,
      ...(warm !== undefined && { warm }),
    }),
    requests,
    ways: () => requests.map(wayOf),
    wait: (time) => void (now += time),
  }
}

export function items(count: number, content: Item = {}): (Item & StoreKey)[] {
  return Array.from({ length: count }, (_, nth) => ({ pk: `p${nth}`, sk: 's', ...content }))
}

/** Every operation once. */
export async function everyCall(store: Store): Promise<void> {
  await store.create(items(1))
  await store.create(items(3))
  await store.update([{ key: KEY, where: [], set: { a: 1 } }])
  await store.read(items(1))
  await store.read(items(2))
}
