import { stableId } from '../../../library/base/ids.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
import type { CountedRecord } from './finding.ts'
import { itemIn, type ReadItem } from '../../../library/entries/sweeper/due/listDue.ts'
import { type Cause, causeOf, errorShape } from '../dlq/errorShape.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import { fateKeys, hasLostRecord } from '../dlq/watch.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { isReopened } from '../explain/tokenState.ts'
import type { Task } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'

export interface LetterRecords {
  /** When each was sent whose record says that its outcome is unknown: that is looked up first, whatever becomes of the letter. */
  readonly inDoubt: readonly number[]
  /** Those that an operator lets run again. */
  readonly reopened: number
  /** When each was sent whose record is gone: its consumer refuses it. */
  readonly lost: readonly number[]
  /** Each record that they name. */
  readonly records: readonly CountedRecord[]
  /** The last errors that the records of those tell which SQS moved: their letters have none. */
  readonly told: readonly string[]
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
  readonly inDoubt: number[]
  reopened: number
  readonly lost: number[]
  readonly records: CountedRecord[]
  readonly told: string[]
}

/** Reads records of the table. undefined: that is denied. */
export type ReadRecords = (keys: readonly StoreKey[]) => Promise<readonly ReadItem[] | undefined>

export function recordsByGroup(read: ReadRecords): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): LetterRecords
} {
  const groups = new Map<string, Known>()
  return {
    async look(deadLetters) {
      const keys = deadLetters.map(fateKeys)
      if (keys.flat().length === 0) return
      const items = [...((await read(keys.flat())) ?? [])]
      for (const [at, each] of deadLetters.entries()) {
        const known = groups.get(each.group) ?? none()
        groups.set(each.group, known)
        const own = items.splice(0, keys[at]?.length)
        known.records.push(...(keys[at] ?? []).map((key) => ({ name: recordName(key) })))
        if (own.length > 0 && own.every(({ kind }) => kind === 'found'))
          add(known, each, own.map(itemIn))
      }
    },
    of: (group) => groups.get(group) ?? none(),
  }
}

function none(): Known {
  return { inDoubt: [], reopened: 0, lost: [], records: [], told: [] }
}

function add(known: Known, deadLetter: DeadLetter, items: readonly (Item | undefined)[]): void {
  const { sentAt, reason } = deadLetter
  if (hasLostRecord(deadLetter, items)) known.lost.push(sentAt)
  for (const item of items) {
    const status = formatValue(item?.['statusShard']).split('#')[0]
    if (status === 'unknown' && reason === 'unknown') known.inDoubt.push(sentAt)
    const token = item && readToken(item)
    if (token !== undefined && isReopened(token)) known.reopened += 1
    if (reason === 'moved' && token?.error !== undefined) known.told.push(token.error)
  }
}
