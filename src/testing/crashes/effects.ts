import type { UserItem, UserKey, UserValue } from '../../store/store.ts'
import { attribute, canonical } from '../../store/value.ts'
import type { Lab } from './lab.ts'
import { DEAD_LETTERS } from './places.ts'
import { attributeOf, type Letter } from './sqs.ts'
import { plain } from './stores.ts'

/** What a schedule has left in the world. Counts by name, and the rows of the user's tables. */
export interface Effects {
  readonly counts: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, UserItem>
  /** A dead letter, or an error to the caller: somebody knows that it did not end well. */
  readonly told: boolean
}

export function effectsOf(lab: Lab, sources: readonly string[]): Effects {
  const counts = new Map<string, number>()
  for (const { name } of lab.calls) add(counts, `call '${name}'`)
  for (const [queue, { all }] of lab.queues) {
    if (queue === DEAD_LETTERS) continue
    for (const id of identitiesOf(all)) {
      if (!sources.includes(id)) add(counts, `message to ${queue}`)
    }
  }
  const rows = new Map<string, UserItem>()
  for (const [name, key] of lab.rows) {
    const item = rowOf(lab, key)
    if (item !== undefined) rows.set(name, item)
  }
  const told = (lab.queues.get(DEAD_LETTERS)?.all.length ?? 0) + lab.told > 0
  return { counts, rows, told }
}

function rowOf({ base }: Lab, { TableName, Key }: UserKey): UserItem | undefined {
  const isIt = (item: UserItem): boolean =>
    Object.entries(Key).every(
      ([name, value]) => canonical(attribute(item, name) ?? null) === canonical(value),
    )
  return base.userItems(TableName).find(isIt)
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
