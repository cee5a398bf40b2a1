import type { Store } from 'lineclear'

const DEAD = { kind: 'failed', error: new Error('killed') } as const

export interface Life {
  /** How many calls of the store are still made. Of the last one the answer is lost. */
  left: number
}

/** The store of a process that dies. */
export function mortal(store: Store, life: Life): Store {
  const entries =
    (method: 'create' | 'update' | 'read') => async (given: never, options?: never) => {
      life.left -= 1
      if (life.left < 0) return [...(given as readonly unknown[])].map(() => DEAD)
      const outcomes = await (store[method] as (...all: never[]) => Promise<readonly unknown[]>)(
        given,
        options as never,
      )
      return life.left === 0 ? outcomes.map(() => DEAD) : outcomes
    }
  return {
    ...store,
    create: entries('create') as Store['create'],
    update: entries('update') as Store['update'],
    read: entries('read') as Store['read'],
    transact: async (claim, writes) => {
      life.left -= 1
      if (life.left < 0) return DEAD
      const outcome = await store.transact(claim, writes)
      return life.left === 0 ? DEAD : outcome
    },
  }
}

/** Does something else before the call `nth`, counted from 0, as if this process were slow there. */
export function pausing(store: Store, nth: number, meanwhile: () => Promise<unknown>): Store {
  let calls = 0
  const slowly = async <T>(call: () => Promise<T>): Promise<T> => {
    if (calls++ === nth) await meanwhile()
    return call()
  }
  return {
    ...store,
    create: (items) => slowly(() => store.create(items)),
    update: (updates) => slowly(() => store.update(updates)),
    read: (keys, options) => slowly(() => store.read(keys, options)),
    transact: (claim, writes) => slowly(() => store.transact(claim, writes)),
  }
}
