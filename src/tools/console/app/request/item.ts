import type { Advice } from '../../../operator/item/advice.ts'
import type { Explained } from '../answers.ts'

/** One stored item, in words and as facts. */
export type Item = Explained['explained'][number]
type ItemFacts = Item['facts']
/** Facts of one kind. */
export type FactsOf<Kind extends ItemFacts['kind']> = Extract<ItemFacts, { readonly kind: Kind }>

/** Statuses at which nothing is wrong and nothing is left to do. */
const OVER: ReadonlySet<string> = new Set([
  'done',
  'idle',
  'complete',
  'closed',
  'sent',
  'void',
  'undone',
])

/** The item that says how it stands with the request: the one that needs someone, before those that are over. */
export function mainItem(items: readonly Item[]): Item | undefined {
  const first = items.find(({ facts: { kind } }) => kind !== 'kept' && kind !== 'other')
  const open = items.find(
    ({ facts: { kind, status } }) => kind !== 'kept' && kind !== 'other' && !OVER.has(status),
  )
  return open ?? first ?? items[0]
}

const KINDS: Readonly<Record<ItemFacts['kind'], string>> = {
  request: 'Request',
  key: 'Key',
  undo: 'Undo',
  flow: 'Key of a flow',
  step: 'Awaited step',
  deadRun: 'Dead request',
  event: 'Event',
  delayed: 'Delayed message',
  kept: 'Kept content',
  other: 'Item',
  unreadable: 'Item that cannot be read',
}

export function kindOf({ kind }: ItemFacts): string {
  return KINDS[kind]
}

/** One step with all that is said of it; without a step only something to know. */
interface StepRow {
  readonly step: Advice | undefined
  readonly when: string | undefined
  readonly notes: readonly string[]
}

/** The usual step first. What goes on with the sentence of a step stands beside it. */
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
