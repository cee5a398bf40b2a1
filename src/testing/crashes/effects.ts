import type { UserItem, UserValue } from '../../store/store.ts'
import type { Lab } from './lab.ts'
import { isDeadLetters, isFifo } from './places.ts'
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
  /** What was sent to each group of each FIFO queue, in order. */
  readonly orders: ReadonlyMap<string, readonly string[]>
  /** A dead letter, or an error to the caller: somebody knows that it did not end well. */
  readonly told: boolean
}

export function effectsOf(lab: Lab): Effects {
  const counts = new Map<string, number>()
  const orders = new Map<string, readonly string[]>()
  for (const { name } of lab.calls) add(counts, `call '${name}'`)
  for (const [queue] of lab.queues) {
    if (isDeadLetters(queue)) continue
    const sent = sentTo(lab, queue)
    if (sent.length > 0) counts.set(`message to ${queue}`, sent.length)
    if (!isFifo(queue)) continue
    for (const [group, letters] of Map.groupBy(sent, ({ message }) => message.groupId ?? ''))
      orders.set(
        `group ${group} of ${queue}`,
        letters.map(({ message }) => message.body),
      )
  }
  const { held, clashes } = lab
  return { counts, rows: rowsOf(lab), held, clashes, orders, told: isTold(lab) }
}

export function rowsOf(lab: Lab): ReadonlyMap<string, UserItem> {
  const rows = new Map<string, UserItem>()
  for (const [name, key] of lab.rows) {
    const item = rowOf(lab, key)
    if (item !== undefined) rows.set(name, without(item, lab.terms.ignore))
  }
  return rows
}

function isTold({ queues, told }: Lab): boolean {
  return told > 0 || [...queues].some(([name, { all }]) => isDeadLetters(name) && all.length > 0)
}

/** A receiver takes the same identity once; a message without one counts each time. */
function sentTo({ given, queues }: Lab, name: string): Letter[] {
  const { all = [] } = queues.get(name) ?? {}
  const known = new Set(all.filter((letter) => given.has(letter)).map(identityOf))
  return all.filter((letter) => {
    const identity = identityOf(letter)
    if (letter.isResent || given.has(letter) || known.has(identity)) return false
    known.add(identity)
    return true
  })
}

function without(item: UserItem, ignored: readonly string[]): UserItem {
  if (ignored.length === 0) return item
  return Object.fromEntries(Object.entries(item).filter(([field]) => !ignored.includes(field)))
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
