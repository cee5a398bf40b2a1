/** Replaces `lineclear/dynamodb` in a hostile mode. */
import type { Store } from '../../../../src/library/protocol/store/store.ts'
import {
  dynamoDbStore as calmStore,
  type DynamoDbStoreOptions,
} from '../../../../src/library/adapters/store/dynamodb/index.ts'
import { storeInMode } from '../storeInMode.ts'

export * from '../../../../src/library/adapters/store/dynamodb/index.ts'

/** Faults reach a client that the cloud has made, but not one that the store makes itself. */
export function dynamoDbStore(options: DynamoDbStoreOptions): Store {
  const store = calmStore(options)
  return options.client === undefined ? storeInMode(store) : store
}
