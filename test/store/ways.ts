import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoDbStore, type DynamoDbStoreOptions } from '../../src/store/dynamodb/index.ts'
import type { Store } from '../../src/store/store.ts'
import { countRequests, intercept } from './seam.ts'
import { interceptWire, warmedUp } from './wireSeam.ts'

/** One of the two ways in which the store calls DynamoDB, with what sees and changes its requests there. */
export interface Way {
  readonly name: string
  readonly isFast: boolean
  readonly open: (options: DynamoDbStoreOptions) => Store
  readonly intercept: typeof intercept
  /** The names of the requests that reach the engine, in their order. */
  readonly countRequests: (client: DynamoDBClient) => string[]
}

const throughTheSdk: Way = {
  name: 'through the SDK',
  isFast: false,
  open: (options) => dynamoDbStore({ ...options, fastPath: false }),
  intercept,
  countRequests,
}

const pastTheSdk: Way = {
  name: 'past the SDK',
  isFast: true,
  open: (options) => warmedUp(dynamoDbStore(options)),
  intercept: (client, _, react) => interceptWire(client, react),
  countRequests(client) {
    const requests: string[] = []
    interceptWire(client, ({ command, send }) => {
      requests.push(command)
      return send()
    })
    return requests
  },
}

export const WAYS = [throughTheSdk, pastTheSdk]
