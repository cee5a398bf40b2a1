import { RECORDED_MS } from '../../../library/base/limits/lifetime.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import { readItems } from '../../../library/entries/sweeper/due/listDue.ts'
import { readDelayed } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import type { Item, Store } from '../../../library/protocol/store/store.ts'
import { daysBack, isOneOf, auditNamesOf, readAuditEntry } from '../audit/listAudit.ts'
import { knownItem } from '../aws/knownItem.ts'
import type { TableReader } from '../aws/tableReader.ts'
import type { DeadLetter } from '../dlq/deadLetter.ts'
import { readKept } from '../dlq/discarded.ts'
import { loadOperation } from '../dlq/operation.ts'
import { listOpen, together } from '../tasks/openEntries.ts'
import { FORGET, left, type Judged } from './judged.ts'
import { judgeRow } from './judgeRow.ts'
import { belongs, isNamedIn, type ToForget } from './subject.ts'

export interface Table {
  readonly store: Store
  readonly reader: Pick<TableReader, 'partition'>
  readonly now: number
}

interface FoundRows {
  readonly judged: readonly Judged[]
  /** Dead letters whose payload is kept elsewhere. */
  readonly letters: readonly DeadLetter[]
}

/** What names the subject outside of its own partition. @throws StoreUnavailableError */
export async function findRows(subject: ToForget, table: Table): Promise<FoundRows> {
  const { named, discards } = await readAudit(subject, table)
  const kept = await findKept(subject, discards, table)
  const rows = [...named, ...(await findNamed(subject, table)), ...kept.rows]
  const delayed = await findDelayed(subject, table)
  const judged = [...delayed, ...rows].map(judgeRow).filter((each) => each !== undefined)
  return { judged: [...judged, ...kept.left], letters: kept.letters }
}

interface Audit {
  /** Rows of changes of the subject. */
  readonly named: readonly Item[]
  /** Plans that have moved dead letters into the table. */
  readonly discards: ReadonlySet<string>
}

async function readAudit(subject: ToForget, { reader, now }: Table): Promise<Audit> {
  const names = new Set(auditNamesOf(subject.id))
  const named: Item[] = []
  const discards = new Set<string>()
  const days = daysBack(now - RECORDED_MS, now)
  for await (const [, rows] of mapInOrder(days, (day) => reader.partition(day))) {
    for (const row of rows.map(knownItem)) {
      const entry = readAuditEntry(row)
      if (entry === undefined) continue
      if (entry.action === 'dlq discard') discards.add(entry.plan)
      if (entry.action !== FORGET && isOneOf(names, entry)) named.push(row)
    }
  }
  return { named, discards }
}

interface Kept extends Pick<FoundRows, 'letters'> {
  readonly rows: readonly Item[]
  readonly left: readonly Judged[]
}

async function findKept(
  subject: ToForget,
  plans: ReadonlySet<string>,
  { store, reader, now }: Table,
): Promise<Kept> {
  const found = { rows: [] as Item[], left: [] as Judged[], letters: [] as DeadLetter[] }
  for (const plan of plans) {
    const planned = (await loadOperation(store, plan))?.planned ?? 1
    for await (const whole of readKept({ plan, planned, reader, now })) {
      for (const { rows, deadLetter } of whole) {
        const [first = {}] = rows
        if (rows.every((row) => row['text'] === undefined)) continue
        // Its first row is erased first: the others are what a killed command has left.
        const of = first['text'] === undefined ? 'yes' : deadLetter && belongs(subject, deadLetter)
        if (of === 'yes') found.rows.push(...rows)
        if (of === 'yes') found.letters.push(...[deadLetter ?? []].flat())
        if (of === undefined) found.left.push(left(itemKey(first), DAMAGED))
        if (of === 'not known') found.left.push(left(itemKey(first), NAMELESS))
      }
    }
  }
  return found
}

const DAMAGED = 'it is not whole, so that it is not known whose it is'
const NAMELESS =
  'the kept dead letter has this id and names no consumer. If it is of this one: lineclear dlq restore, redrive it, and forget it again'

/** Circuits and pauses whose texts name it. */
async function findNamed(subject: ToForget, { reader }: Table): Promise<readonly Item[]> {
  const rows = await Promise.all(['circuits', 'pauses'].map((pk) => reader.partition(pk)))
  return rows
    .flat()
    .map(knownItem)
    .filter(({ error, why }) => isNamedIn(error, subject) || isNamedIn(why, subject))
}

const ALL = { statuses: ['later'] } as const

/** Its messages that the sweeper has not sent yet. */
async function findDelayed(
  { pks, forms, owner }: ToForget,
  { store }: Table,
): Promise<readonly Item[]> {
  const found: Item[] = []
  for await (const page of together(listOpen(store, ALL), () => true)) {
    const keys = page.map(({ key: { pk, sk } }) => ({ pk, sk }))
    for (const read of await readItems(store, keys)) {
      if (read.kind === 'notKnown') throw read.error
      const row = read.item && readDelayed(read.item)
      if (row === undefined || read.item === undefined) continue
      const isOfRun = row.recordPk !== undefined && pks.includes(row.recordPk)
      const isOfRequest =
        row.recordPk === undefined && row.by === owner && forms.includes(row.uniqueRequestId)
      if (isOfRun || isOfRequest) found.push(read.item)
    }
  }
  return found
}
