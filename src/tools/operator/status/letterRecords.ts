import type { Item, Store } from '../../../library/protocol/store/store.ts'
import { readItems, itemIn } from '../../../library/entries/sweeper/due/listDue.ts'
import { type Cause, causeOf, errorShape } from '../dlq/errorShape.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import { fateKeys, hasLostRecord } from '../dlq/watch.ts'
import { readToken } from '../../../library/protocol/claim/token/token.ts'
import { isReopened } from '../explain/tokenState.ts'
import { type Task, taskOf } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'
import type { ParkedRecords } from './finding.ts'

export interface LetterRecords {
  /** Those whose record says that its outcome is unknown: that is looked up first, whatever becomes of the letter. */
  readonly inDoubt: number
  /** Those that an operator lets run again. */
  readonly reopened: number
  /** Those whose record is gone: their consumer refuses them. */
  readonly lost: number
  /** The records that wait for an operator as these letters do. */
  readonly parked: readonly ParkedRecords[]
}

/** As that of its dead letter. */
export function causeOfTask({ reason, status, error = '' }: Task): Cause | undefined {
  return causeOf(reason ?? status, errorShape(error))
}

interface Known {
  inDoubt: number
  reopened: number
  lost: number
  readonly parked: Omit<ParkedRecords, 'number'>[]
}

export function recordsByGroup(store: Store): {
  /** One read of the table for a page. */
  look(deadLetters: readonly DeadLetter[]): Promise<void>
  of(group: string): LetterRecords
} {
  const groups = new Map<string, Known>()
  // Two letters may be of one record.
  const seen = new Set<string>()
  return {
    async look(deadLetters) {
      const keys = deadLetters.map(fateKeys)
      if (keys.flat().length === 0) return
      const items = [...(await readItems(store, keys.flat()))]
      for (const [at, each] of deadLetters.entries()) {
        const known = groups.get(each.group) ?? { inDoubt: 0, reopened: 0, lost: 0, parked: [] }
        groups.set(each.group, known)
        const own = items.splice(0, keys[at]?.length)
        if (own.every(({ kind }) => kind === 'found')) add(known, each, own.map(itemIn), seen)
      }
    },
    of(group) {
      const { inDoubt = 0, reopened = 0, lost = 0, parked = [] } = groups.get(group) ?? {}
      return { inDoubt, reopened, lost, parked: counted(parked) }
    },
  }
}

function add(
  known: Known,
  deadLetter: DeadLetter,
  items: readonly (Item | undefined)[],
  seen: Set<string>,
): void {
  if (hasLostRecord(deadLetter, items)) known.lost += 1
  for (const item of items) {
    const status = formatValue(item?.['statusShard']).split('#')[0]
    if (status === 'unknown' && deadLetter.reason === 'unknown') known.inDoubt += 1
    const token = item && readToken(item)
    if (token !== undefined && isReopened(token)) known.reopened += 1
    const task = item && taskOf(item)
    if (task === undefined || (status !== 'error' && status !== 'dead')) continue
    const { pk, sk, of } = task
    if (seen.has(`${pk} ${sk}`)) continue
    seen.add(`${pk} ${sk}`)
    const kind = status === 'error' ? 'stopped' : status
    known.parked.push({ of, kind, cause: causeOfTask(task)?.name })
  }
}

function counted(records: Known['parked']): readonly ParkedRecords[] {
  const counts = new Map<string, ParkedRecords>()
  for (const each of records) {
    const name = JSON.stringify(each)
    counts.set(name, { ...each, number: (counts.get(name)?.number ?? 0) + 1 })
  }
  return [...counts.values()]
}
