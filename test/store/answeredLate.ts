import type { Store } from '../../src/library/protocol/store/store.ts'

/** The answer to each update is lost, and the SDK makes it again: what was written refuses it. */
export function answeredLate<Given extends Store>(store: Given): Given {
  return {
    ...store,
    update: async (updates) => {
      await store.update(updates)
      return store.update(updates)
    },
  }
}
