import { documented } from '../proof/formats/page.ts'
import { StoreUnavailableError } from 'lineclear'
import { type MemoryStore, memoryStore } from 'lineclear/testing'

/** `lose`: done, its answer lost, retried by the SDK. `fail`: not done. `failAfter`: done, without an answer. */
export type Fault = 'lose' | 'fail' | 'failAfter'
export type Verb = 'create' | 'update' | 'read'

export interface FaultyStore extends MemoryStore {
  /** The calls so far, such as `create`. */
  readonly calls: Verb[]
  /** Faults of the next calls of that verb, in order. */
  next(verb: Verb, ...faults: readonly Fault[]): void
}

/** The rules of the store, with calls counted and answers lost. */
export function faultyStore(): FaultyStore {
  const store = documented(memoryStore())
  const calls: Verb[] = []
  const planned: Record<Verb, Fault[]> = { create: [], update: [], read: [] }

  const befall = async <Outcome>(
    verb: Verb,
    entries: number,
    carryOut: () => Promise<readonly Outcome[]>,
  ): Promise<readonly (Outcome | { kind: 'failed'; error: Error })[]> => {
    calls.push(verb)
    const fault = planned[verb].shift()
    const failed = Array.from({ length: entries }, () => ({
      kind: 'failed' as const,
      error: new StoreUnavailableError('injected'),
    }))
    if (fault === 'fail') return failed
    const outcomes = await carryOut()
    if (fault === 'failAfter') return failed
    return fault === 'lose' ? carryOut() : outcomes
  }
  return {
    ...store,
    calls,
    next: (verb, ...faults) => void planned[verb].push(...faults),
    create: (items) => befall('create', items.length, () => store.create(items)),
    update: (updates) => befall('update', updates.length, () => store.update(updates)),
    read: (keys, options) => befall('read', keys.length, () => store.read(keys, options)),
  }
}
