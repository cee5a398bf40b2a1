import { memoryStore, type MemoryStore } from '../../store/memory/memoryStore.ts'
import type { UserKey } from '../../store/store.ts'
import { isFifo } from './places.ts'
import { type Letter, openQueue, type Queue } from './sqs.ts'
import type { World } from './world.ts'

/** Systems outside honour idempotency keys, or take no notice of them. */
export type Keys = 'honoured' | 'ignored'

export interface Terms {
  readonly keys: Keys
  /** Fields of rows that may differ from run to run. */
  readonly ignore: readonly string[]
}

const USUAL_TERMS: Terms = { keys: 'honoured', ignore: [] }

/** Everything outside the handlers, in one schedule. */
export interface Lab {
  readonly world: World
  readonly base: MemoryStore
  /** Rows of the user's that a handler wrote, or wanted to write, by table and key. */
  readonly rows: Map<string, UserKey>
  /** By name: those with a handler, those that are only sent to, and the dead letters. */
  readonly queues: Map<string, Queue>
  /** Fields that were added up: row and name. */
  readonly sums: Set<string>
  /** Values that stood in other fields. */
  readonly held: Set<string>
  readonly terms: Terms
  /** Keys that came with more than one request, in words. */
  readonly clashes: string[]
  /** Effects in systems outside. */
  readonly calls: { readonly name: string; readonly key: string; readonly request: string }[]
  /** Calls of a function that ended with an error of the framework's own, which tells its caller. */
  told: number
  /** What came from outside, and so is nobody's effect. */
  readonly given: Set<Letter>
}

export function openLab(world: World, terms: Terms = USUAL_TERMS): Lab {
  return {
    world,
    base: memoryStore(),
    rows: new Map(),
    queues: new Map(),
    sums: new Set(),
    held: new Set(),
    terms,
    clashes: [],
    calls: [],
    told: 0,
    given: new Set(),
  }
}

export function queueOf({ queues }: Lab, name: string): Queue {
  const queue = queues.get(name) ?? openQueue(isFifo(name))
  queues.set(name, queue)
  return queue
}
