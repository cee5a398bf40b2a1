import { stableId } from '../../../library/base/ids.ts'
import type { Item, Store, StoreKey } from '../../../library/protocol/store/store.ts'
import { readItems, itemIn } from '../../../library/entries/sweeper/due/listDue.ts'
import { type Cause, causeOf, errorShape } from '../dlq/errorShape.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import { fateKeys, hasLostRecord } from '../dlq/watch.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { isReopened } from '../explain/tokenState.ts'
import type { Task } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'

export interface LetterRecords {
  /** Those whose record says that its outcome is unknown: that is looked up first, whatever becomes of the letter. */
  readonly inDoubt: number
  /** Those that an operator lets run again. */
  readonly reopened: number
  /** Those whose record is gone: their consumer refuses them. */
  readonly lost: number
  /** `recordName` of each record that they name. */
  readonly records: readonly string[]
}

/** The same in each look, and not the id of a request, which may be personal. */
export function recordName({ pk, sk }: StoreKey): string {
  return stableId('record', pk, sk).slice(0, NAME)
}

/** 72 bits: two of some thousand records have different ones. */
const NAME = 12

/** As that of its dead letter. */
export function causeOfTask({ reason, status, error = '' }: Task): Cause | undefined {
  return causeOf(reason ?? status, errorShape(error))
}

interface Known {
  inDoubt: number
  reopened: number
  lost: number
  readonly records: string[]
}

export function recordsByGroup(store: Store): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): LetterRecords
} {
  const groups = new Map<string, Known>()
  return {
    async look(deadLetters) {
      const keys = deadLetters.map(fateKeys)
      if (keys.flat().length === 0) return
      const items = [...(await readItems(store, keys.flat()))]
      for (const [at, each] of deadLetters.entries()) {
        const known = groups.get(each.group) ?? none()
        groups.set(each.group, known)
        const own = items.splice(0, keys[at]?.length)
        known.records.push(...(keys[at] ?? []).map(recordName))
        if (own.every(({ kind }) => kind === 'found')) add(known, each, own.map(itemIn))
      }
    },
    of: (group) => groups.get(group) ?? none(),
  }
}

function none(): Known {
  return { inDoubt: 0, reopened: 0, lost: 0, records: [] }
}

function add(known: Known, deadLetter: DeadLetter, items: readonly (Item | undefined)[]): void {
  if (hasLostRecord(deadLetter, items)) known.lost += 1
  for (const item of items) {
    const status = formatValue(item?.['statusShard']).split('#')[0]
    if (status === 'unknown' && deadLetter.reason === 'unknown') known.inDoubt += 1
    const token = item && readToken(item)
    if (token !== undefined && isReopened(token)) known.reopened += 1
  }
}
