import { ID_ATTRIBUTE } from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import type { UserItem } from '../../../library/protocol/store/store.ts'
import {
  type ScheduleContext,
  rowOf,
  deadLettersIn,
  deadLetterReason,
} from '../simulation/scheduleContext.ts'
import { isFifoName } from '../../queues/description.ts'
import type { SentEffect } from '../simulation/sentEffects.ts'
import { attributeOf } from '../../queues/simulatedQueue.ts'

/** Everything that a schedule has left behind, in a form that can be compared. */
export interface Effects extends Pick<
  ScheduleContext,
  'seeded' | 'held' | 'completed' | 'refusals' | 'givenUp'
> {
  /** How many outside calls, committed SQL statements and sent messages took effect, by name. */
  readonly counts: ReadonlyMap<string, number>
  readonly rows: ReadonlyMap<string, UserItem>
  /** Idempotency keys and message ids that were used for two different things. The second one had no effect. */
  readonly clashes: readonly string[]
  /** What was sent, by queue or topic. */
  readonly contents: ReadonlyMap<string, readonly string[]>
  /** What was sent to each group of each FIFO queue, in order. */
  readonly orders: ReadonlyMap<string, readonly string[]>
  /** Why requests were dead-lettered, by their ids. */
  readonly dead: ReadonlyMap<string, string>
}

export function effectsOf(context: ScheduleContext): Effects {
  const counts = new Map<string, number>()
  for (const { name } of context.calls) add(counts, `call '${name}'`)
  for (const { text, values } of context.sql.statements)
    add(counts, `statement ${text} ${JSON.stringify(values)}`)
  const sent = [...takenOf(context).values()]
  for (const each of sent) add(counts, placeOf(each))
  const contents = textsBy(sent, placeOf, inWords)
  const inOrder = sent.filter(({ target }) => isFifoName(target))
  const orders = textsBy(inOrder, groupOf, ({ content }) => content)
  const { held, seeded, completed } = context
  return {
    counts,
    contents,
    rows: rowContents(context),
    seeded,
    held,
    clashes: [...context.clashes, ...conflictsIn(context)],
    orders,
    dead: deadOf(context),
    completed,
    refusals: context.refusals,
    givenUp: context.givenUp,
  }
}

const placeOf = ({ target }: SentEffect): string => `message to ${target}`
const groupOf = ({ target, group }: SentEffect): string => `group ${group} of ${target}`
const inWords = ({ content, group }: SentEffect): string =>
  group === '' ? content : `${content} in group ${group}`

function textsBy(
  sent: readonly SentEffect[],
  nameOf: (sending: SentEffect) => string,
  textOf: (sending: SentEffect) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(sent, nameOf)
  return new Map([...groups].map(([name, all]) => [name, all.map(textOf)]))
}

export function rowContents(context: ScheduleContext): ReadonlyMap<string, UserItem> {
  const rows = new Map<string, UserItem>()
  for (const [name, key] of context.rows) {
    const item = rowOf(context, key)
    if (item !== undefined) rows.set(name, without(item, context.terms.ignore))
  }
  return rows
}

/** Reasons by request, even when several dead letters belong to one request. */
function deadOf(context: ScheduleContext): ReadonlyMap<string, string> {
  return new Map(
    deadLettersIn(context).map(({ id, message }) => [
      attributeOf(message, ID_ATTRIBUTE) ?? id,
      deadLetterReason(message),
    ]),
  )
}

/** Sent messages as their receiver counts them: each identity once. */
function takenOf({ given, sendings }: ScheduleContext): Map<string, SentEffect> {
  const taken = new Map<string, SentEffect>()
  for (const sending of sendings) {
    const name = `${sending.target} ${sending.identity}`
    if (!given.has(name) && !taken.has(name)) taken.set(name, sending)
  }
  return taken
}

/** A receiver drops the second message with one id, so two different messages must not share an id. */
function conflictsIn({ sendings }: ScheduleContext): string[] {
  const firsts = new Map<string, SentEffect>()
  const conflicts: string[] = []
  for (const sending of sendings) {
    const { target, identity, content } = sending
    const first = firsts.get(`${target} ${identity}`) ?? sending
    firsts.set(`${target} ${identity}`, first)
    if (first.content !== content)
      conflicts.push(`message to ${target}: the id of ${first.content} stands for ${content} too`)
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
