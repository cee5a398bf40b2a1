import { memoryStore, type MemoryStore } from '../../store/memory/memoryStore.ts'
import type { UserKey } from '../../store/store.ts'
import type { Names } from './names.ts'
import { openQueue, type Queue } from './sqs.ts'
import type { World } from './world.ts'

/** Everything outside the handlers, in one schedule. */
export interface Lab {
  readonly world: World
  readonly base: MemoryStore
  /** Rows of the user's that a handler wrote, or wanted to write, by table and key. */
  readonly rows: Map<string, UserKey>
  /** By name: those with a handler, those that are only sent to, and the dead letters. */
  readonly queues: Map<string, Queue>
  /** Effects in systems outside: a call with a key counts once. */
  readonly calls: { readonly name: string; readonly key: string }[]
  /** Calls of a function that ended with an error of the framework's own, which tells its caller. */
  told: number
  readonly names: Names
}

export function openLab(world: World): Lab {
  return {
    world,
    base: memoryStore(),
    rows: new Map(),
    queues: new Map(),
    calls: [],
    told: 0,
    names: new Map(),
  }
}

export function queueOf({ queues }: Lab, name: string): Queue {
  const queue = queues.get(name) ?? openQueue()
  queues.set(name, queue)
  return queue
}
