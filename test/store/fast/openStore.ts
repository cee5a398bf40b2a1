import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { openStore as storeOver } from '../../../src/library/adapters/store/dynamodb/dynamoDbStore.ts'
import type { Credentials } from '../../../src/library/adapters/store/dynamodb/fast/place.ts'
import type { Item, Store, StoreKey } from '../../../src/library/protocol/store/store.ts'
import { leanOver } from '../ways.ts'
import { recordingHandler, type Reply, type Sent, wayOf } from './recordingHandler.ts'

export const CREDENTIALS: Credentials = {
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  sessionToken: 'token/+=',
}
export const KEY: StoreKey = { pk: 'p', sk: 's' }

export interface Opened {
  readonly store: Store
  /** The same, through the SDK alone. */
  readonly bySdk: Store
  readonly requests: readonly Sent[]
  /** Which way each request went. */
  ways(): string[]
  /** Lets time pass, milliseconds. */
  wait(time: number): void
}

/** A store without the SDK, whose requests are kept and answered without a network. Behind it is the real SDK. */
export function openStore(
  reply?: (sent: Sent, nth: number) => Reply | undefined,
  {
    warm,
    credentials = () => CREDENTIALS,
    config = {},
  }: {
    readonly warm?: boolean
    readonly credentials?: () => Credentials | undefined
    readonly config?: DynamoDBClientConfig
  } = {},
): Opened {
  const requestHandler = recordingHandler(reply)
  const client = new DynamoDBClient({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    requestHandler,
    ...config,
  })
  let now = 0
  const clock = { now: () => now, sleep: async () => {} }
  const { requests } = requestHandler
  const options = { tableName: 'lineclear', client, clock }
  return {
    store: storeOver(
      { ...options, ...(warm !== undefined && { warm }) },
      { ...leanOver(client), credentials },
    ),
    bySdk: storeOver({ ...options, warm: false }, undefined),
    requests,
    ways: () => requests.map(wayOf),
    wait: (time) => void (now += time),
  }
}

export function items(count: number, content: Item = {}): (Item & StoreKey)[] {
  return Array.from({ length: count }, (_, nth) => ({
    pk: `p${nth}`,
    sk: 's',
    format: 1,
    ...content,
  }))
}

/** Every operation once. */
export async function everyCall(store: Store): Promise<void> {
  await store.create(items(1))
  await store.create(items(3))
  await store.update([{ key: KEY, where: [], set: { a: 1 } }])
  await store.read(items(1))
  await store.read(items(2))
  await store.transact({ key: KEY, where: [] }, [])
  await store.due({ statusShard: 'OPEN#1', until: 9, most: 5 })
}

export const OPERATIONS = [
  'PutItem',
  'BatchExecuteStatement',
  'UpdateItem',
  'GetItem',
  'BatchGetItem',
  'TransactWriteItems',
  'Query',
]
