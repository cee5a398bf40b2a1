import { aStore, wrongOption } from '../options.ts'
import type { Store } from './store.ts'

/** @throws ConfigError when an argument of JavaScript is no store: a table's name, or one that is not set */
export function assertStore(where: string, store: unknown): asserts store is Store {
  if (!aStore.isRight(store)) throw wrongOption(where, 'store', aStore.expected, store)
}
