import type { Store } from '../../../store/store.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import { fateKeys, isUndone } from '../dlq/fate.ts'
import { loadItems } from '../../../sweeper/due/listDue.ts'

/** Dead letters whose effects were undone: a redrive of them is dropped. */
export interface UndoneLetters {
  readonly number: number
  readonly oldest: number
  /** Of the first ones. */
  readonly messageIds: readonly string[]
}

/** A command line has to stay readable. The next `status` shows the rest. */
const MOST_IDS = 10

/** Finds those that are undone, by group. */
export function undoneByGroup(store: Store): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): UndoneLetters | undefined
} {
  const groups = new Map<string, UndoneLetters>()
  return {
    async look(deadLetters) {
      const keys = deadLetters.map(fateKeys)
      if (keys.flat().length === 0) return
      const items = [...(await loadItems(store, keys.flat()))]
      for (const [at, each] of deadLetters.entries()) {
        if (!isUndone(each, items.splice(0, keys[at]?.length))) continue
        groups.set(each.group, addTo(groups.get(each.group), each))
      }
    },
    of: (group) => groups.get(group),
  }
}

function addTo(known: UndoneLetters | undefined, { sentAt, record }: DeadLetter): UndoneLetters {
  const { number = 0, oldest = sentAt, messageIds = [] } = known ?? {}
  return {
    number: number + 1,
    oldest: Math.min(oldest, sentAt),
    messageIds: [...messageIds, record.messageId].slice(0, MOST_IDS),
  }
}
