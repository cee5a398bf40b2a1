import type { StoreKey } from '../store/store.ts'
import type { IndexEntry } from './due/listDue.ts'
import type { TaskStatus } from './due/statuses.ts'

/** Decides which of the due items a run looks at. */
interface Rotation {
  next(due: ReadonlyMap<TaskStatus, readonly StoreKey[]>): AsyncGenerator<IndexEntry>
}

/**
 * Each run continues behind the items of the previous run, and wraps around, so that items that stay due, such as those that wait
 * for an operator, never keep others from being swept. Each process begins at another place, so that a sweeper whose sandbox is
 * replaced after every run does not sweep the same items each time.
 * @param most items of one status in one run
 * @param start any number, another one in each process
 */
export function openRotation(most: number, start: number): Rotation {
  let turn = Math.floor(start)
  return {
    async *next(due) {
      for (const [status, keys] of due) {
        const at = keys.length <= most ? 0 : turn % keys.length
        const window = [...keys.slice(at), ...keys.slice(0, at)].slice(0, most)
        for (const key of window) yield { status, key }
      }
      turn += most
    },
  }
}
