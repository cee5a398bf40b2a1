import type { Advice } from '../../../operator/item/advice.ts'
import type { Found } from '../../search.ts'
import type { Explained } from '../answers.ts'

export type ExplainedItem = Explained['explained'][number]
type ItemFacts = ExplainedItem['facts']
export type FactsOf<Kind extends ItemFacts['kind']> = Extract<ItemFacts, { readonly kind: Kind }>

/** The state of an item. The key of a flow is free after a run, however that has ended. */
export function statusOf(facts: ItemFacts): string {
  const { status } = facts
  return facts.kind === 'flow' && status === 'idle' && facts.last?.as === 'dead' ? 'dead' : status
}

/** Statuses at which nothing is wrong and nothing is left to do. */
const OVER: ReadonlySet<string> = new Set(['done', 'idle', 'complete', 'closed', 'sent', 'void'])

/** The item that shows the state of the request: the one that needs someone, before those that are over. */
export function mainItem(items: readonly ExplainedItem[]): ExplainedItem | undefined {
  const known = items.filter(({ facts }) => facts.kind !== 'other')
  // What a dead run has left says more of it than its key.
  const open = known.toSorted((one, other) => Number(isFreeKey(one)) - Number(isFreeKey(other)))
  return open.find(({ facts }) => !OVER.has(statusOf(facts))) ?? known[0] ?? items[0]
}

function isFreeKey({ facts }: ExplainedItem): boolean {
  return facts.kind === 'flow' && facts.status === 'idle'
}

/** Its dead letter, as the advice names it. */
export function letterOf(items: readonly ExplainedItem[]) {
  for (const { action, given } of items.flatMap(({ facts: { advice } }) => advice)) {
    const { queue, id } = given
    if (action?.startsWith('dlq.') !== true || typeof queue !== 'string') continue
    if (typeof id === 'string') return { queue, id }
  }
  return undefined
}

/** One step with all that is said of it; without a step only something to know. */
interface StepRow {
  readonly step: Advice | undefined
  readonly when: string | undefined
  readonly notes: readonly string[]
}

/** The usual step first. What continues the sentence of a step is shown beside it. */
export function stepRows(advice: readonly Advice[]): readonly StepRow[] {
  const rows: StepRow[] = []
  for (const each of advice) {
    const { action, when, doing, joined } = each
    const notes = doing === undefined ? [] : [doing]
    const last = rows.at(-1)
    if (action === undefined && joined !== undefined && last !== undefined) {
      rows[rows.length - 1] = { ...last, notes: [...last.notes, ...notes] }
    } else rows.push({ step: action === undefined ? undefined : each, when, notes })
  }
  const isCure = ({ step }: StepRow): boolean => step?.cure === true
  return [...rows.filter(isCure), ...rows.filter((row) => !isCure(row))]
}

/** Requests and messages that an item names, each with the page that shows it. */
export function linksIn(facts: ItemFacts) {
  if (facts.kind === 'flow') {
    const { id, run, waiting, newest } = facts
    const requests = new Set([run, waiting, newest].flatMap((each) => each?.request ?? []))
    return [...requests].map((of) => ({
      of,
      to: { path: '/request', query: { id, request: of } },
    }))
  }
  const sent = 'sent' in facts ? facts.sent : []
  return sent.map(({ id }) => ({ of: id, to: { path: '/search', query: { id } } }))
}

/**
 * The id that `explain` accepts, of a partition key: `flow#returns/return-62` → `returns/return-62`. What has no such prefix is an
 * id already.
 */
export function requestId(pk: string): string {
  return pk.replace(/^[a-z]+#(?=[^#]*\/)/, '')
}

/** The request that an id certainly means; undefined: none, or there is a choice. */
export function onlyRequest({ items, letters }: Found): string | undefined {
  const [id, ...others] = new Set(items.map(requestId))
  return others.length + letters.length === 0 ? id : undefined
}
