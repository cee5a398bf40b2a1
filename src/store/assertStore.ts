import { aStore, wrongOption } from '../base/options.ts'
import type { Store } from './store.ts'

/**
 * @throws ConfigError when a JavaScript caller passes something that is not a store, such as the name of a table or an unset variable
 */
export function assertStore(where: string, store: unknown): asserts store is Store {
  if (!aStore.isRight(store)) throw wrongOption(where, 'store', aStore.expected, store)
}
