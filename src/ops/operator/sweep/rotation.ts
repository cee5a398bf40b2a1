import type { StoreKey } from '../../../store/store.ts'
import type { IndexEntry, TaskStatus } from '../tasks/listDue.ts'

/** Which of the due items a run looks at. */
interface Rotation {
  next(due: ReadonlyMap<TaskStatus, readonly StoreKey[]>): AsyncGenerator<IndexEntry>
}

/**
 * Each run goes on behind the items of the run before, and from the end to the beginning: an item that stays due, such as one
 * that only a person can end, keeps no other from its turn. A new process begins anywhere, so that a sweeper whose sandbox
 * never lives for a second run does not look at the same items again and again.
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
