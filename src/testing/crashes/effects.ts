import { ID_ATTRIBUTE } from '../../record/envelope/lineclearAttributes.ts'
import type { UserItem, UserValue } from '../../store/store.ts'
import type { Lab } from './scheduleContext.ts'
import { isFifo } from '../queues/arns.ts'
import { deadLettersIn, reasonOf } from './redrive.ts'
import { rowOf } from './rows.ts'
import type { Sending } from './sent.ts'
import { attributeOf } from '../queues/sqs.ts'

/** What a schedule has left in the world. Counts by name, and the rows of the user's tables. */
export interface Effects {
  readonly counts: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, UserItem>
  /** All that ever stood in a field of a row that was not added up. */
  readonly held: ReadonlySet<string>
  /** Keys and ids of messages that stood for more than one thing, in words: of the second one nothing came. */
  readonly clashes: readonly string[]
  /** What was sent, by queue or topic. */
  readonly contents: ReadonlyMap<string, readonly string[]>
  /** What was sent to each group of each FIFO queue, in order. */
  readonly orders: ReadonlyMap<string, readonly string[]>
  /** A dead letter, or an error to the caller: somebody knows that it did not end well. */
  readonly told: boolean
  /** Why requests were dead-lettered, by their ids. */
  readonly dead: ReadonlyMap<string, string>
}

export function effectsOf(lab: Lab): Effects {
  const counts = new Map<string, number>()
  for (const { name } of lab.calls) add(counts, `call '${name}'`)
  const sent = [...takenOf(lab).values()]
  for (const each of sent) add(counts, placeOf(each))
  const contents = textsBy(sent, placeOf, inWords)
  const inOrder = sent.filter(({ place }) => isFifo(place))
  const orders = textsBy(inOrder, groupOf, ({ content }) => content)
  const { held } = lab
  const dead = deadOf(lab)
  const clashes = [...lab.clashes, ...conflictsIn(lab)]
  return {
    counts,
    contents,
    rows: rowsOf(lab),
    held,
    clashes,
    orders,
    dead,
    told: lab.told > 0 || dead.size > 0,
  }
}

const placeOf = ({ place }: Sending): string => `message to ${place}`
const groupOf = ({ place, group }: Sending): string => `group ${group} of ${place}`
const inWords = ({ content, group }: Sending): string =>
  group === '' ? content : `${content} in group ${group}`

function textsBy(
  sent: readonly Sending[],
  nameOf: (sending: Sending) => string,
  textOf: (sending: Sending) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(sent, nameOf)
  return new Map([...groups].map(([name, all]) => [name, all.map(textOf)]))
}

export function rowsOf(lab: Lab): ReadonlyMap<string, UserItem> {
  const rows = new Map<string, UserItem>()
  for (const [name, key] of lab.rows) {
    const item = rowOf(lab, key)
    if (item !== undefined) rows.set(name, without(item, lab.terms.ignore))
  }
  return rows
}

/** By whom: each request once, however many letters tell of it. */
function deadOf(lab: Lab): ReadonlyMap<string, string> {
  return new Map(
    deadLettersIn(lab).map(({ id, message }) => [
      attributeOf(message, ID_ATTRIBUTE) ?? id,
      reasonOf(message),
    ]),
  )
}

/** A receiver takes the same identity once. */
function takenOf({ given, sendings }: Lab): Map<string, Sending> {
  const taken = new Map<string, Sending>()
  for (const sending of sendings) {
    const name = `${sending.place} ${sending.identity}`
    if (!given.has(name) && !taken.has(name)) taken.set(name, sending)
  }
  return taken
}

/** Of the second message under one id nothing comes, or something else than of the first, as the queue delivers them. */
function conflictsIn({ sendings }: Lab): string[] {
  const firsts = new Map<string, Sending>()
  const conflicts: string[] = []
  for (const sending of sendings) {
    const { place, identity, content } = sending
    const first = firsts.get(`${place} ${identity}`) ?? sending
    firsts.set(`${place} ${identity}`, first)
    if (first.content !== content)
      conflicts.push(`message to ${place}: the id of ${first.content} stands for ${content} too`)
  }
  return [...new Set(conflicts)]
}

function without(item: UserItem, ignored: readonly string[]): UserItem {
  if (ignored.length === 0) return item
  return Object.fromEntries(Object.entries(item).filter(([field]) => !ignored.includes(field)))
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

export function isNumber(value: UserValue | undefined): value is number {
  return typeof value === 'number'
}
