import { ConfigError } from '../errors.ts'
import type { Store } from './store.ts'

/** @throws ConfigError when an argument of JavaScript is no store: a table's name, or one that is not set */
export function assertStore(where: string, store: unknown): asserts store is Store {
  if (typeof store === 'object' && store !== null && 'create' in store && 'transact' in store)
    return
  throw new ConfigError(
    `${where}: store: expected a store, such as dynamoDbStore({ tableName }); got ${store === undefined ? 'nothing' : `a ${typeof store}`}`,
  )
}
