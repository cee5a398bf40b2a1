import type { UserItem, UserValue } from '../../store/store.ts'
import type { Lab } from './lab.ts'
import { DEAD_LETTERS } from './places.ts'
import { attributeOf, type Letter } from './sqs.ts'
import { rowOf } from './rows.ts'
import { plain } from './stores.ts'

/** What a schedule has left in the world. Counts by name, and the rows of the user's tables. */
export interface Effects {
  readonly counts: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, UserItem>
  /** All that ever stood in a field of a row that was not added up. */
  readonly held: ReadonlySet<string>
  /** Keys that stood for more than one request in a system outside: of the second one nothing came. */
  readonly clashes: readonly string[]
  /** A dead letter, or an error to the caller: somebody knows that it did not end well. */
  readonly told: boolean
}

export function effectsOf(lab: Lab, sources: readonly string[]): Effects {
  const counts = new Map<string, number>()
  for (const { name } of lab.calls) add(counts, `call '${name}'`)
  for (const [queue, { all }] of lab.queues) {
    if (queue === DEAD_LETTERS) continue
    for (const id of identitiesOf(all.filter(({ isResent }) => !isResent))) {
      if (!sources.includes(id)) add(counts, `message to ${queue}`)
    }
  }
  const rows = new Map<string, UserItem>()
  for (const [name, key] of lab.rows) {
    const item = rowOf(lab, key)
    if (item !== undefined) rows.set(name, without(item, lab.terms.ignore))
  }
  const told = (lab.queues.get(DEAD_LETTERS)?.all.length ?? 0) + lab.told > 0
  return { counts, rows, held: lab.held, clashes: lab.clashes, told }
}

function without(item: UserItem, ignored: readonly string[]): UserItem {
  if (ignored.length === 0) return item
  return Object.fromEntries(Object.entries(item).filter(([field]) => !ignored.includes(field)))
}

/** A receiver takes the same identity once; a message without one counts each time. */
export function identitiesOf(letters: readonly Letter[]): ReadonlySet<string> {
  return new Set(letters.map(identityOf))
}

export function identityOf({ id, message }: Letter): string {
  return attributeOf(message, 'uniquerequestid') ?? id
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

export function rowText(item: UserItem): string {
  return JSON.stringify(item, plain)
}

export function isNumber(value: UserValue | undefined): value is number {
  return typeof value === 'number'
}
