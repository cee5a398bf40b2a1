/** What `POST /api/plan` and `/api/apply` have answered, as a dialog shows it. */
export interface ShownPlan {
  /** Its name; undefined: there is nothing to apply. */
  readonly name: string | undefined
  /** @example 'dlq redrive' */
  readonly action: string
  readonly outcome: string
  /** Why it is so. */
  readonly because: string | undefined
  readonly id: string | undefined
  /** The state now and afterwards, a line each. */
  readonly now: readonly string[]
  readonly afterwards: readonly string[]
  /** What would be changed, or was. */
  readonly items: readonly string[]
  /** What stays as it is, and why. */
  readonly left: readonly { readonly id: string; readonly because: string }[]
  /** There is more of it than one plan holds. */
  readonly more: boolean
  /** Until when an attempt may run on the item: only a forced change takes it over. ISO 8601. */
  readonly liveLease: string | undefined
  /** All else that the command has answered. */
  readonly rest: Readonly<Record<string, unknown>>
}

const KNOWN = new Set([
  'version',
  'at',
  'command',
  'line',
  'exit',
  'cost',
  'action',
  'id',
  'mode',
  'outcome',
  'because',
  'standing',
  'changes',
  'changed',
  'left',
  'more',
  'plan',
  'liveLease',
])

export function shownPlan(answer: Readonly<Record<string, unknown>>): ShownPlan {
  const { action, command, plan, outcome, because, id } = answer
  const { standing, changes, changed, left, more, liveLease } = answer
  return {
    name: text(plan),
    action: text(action) ?? text(command) ?? '',
    outcome: text(outcome) ?? '',
    because: text(because),
    id: text(id),
    now: texts(standing),
    afterwards: texts(changes),
    items: texts(changed),
    left: list(left).flatMap(leftOf),
    more: more === true,
    liveLease: text(liveLease),
    rest: Object.fromEntries(
      Object.entries(answer).filter(([name, value]) => !KNOWN.has(name) && !isNothing(value)),
    ),
  }
}

function leftOf(value: unknown): ShownPlan['left'] {
  if (typeof value === 'string') return [{ id: value, because: '' }]
  if (typeof value !== 'object' || value === null) return []
  const { id, because } = value as { readonly id?: unknown; readonly because?: unknown }
  return [{ id: text(id) ?? '', because: text(because) ?? '' }]
}

/** Counts of 0 and empty lists say nothing. */
function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === 0 || value === false) return true
  return typeof value === 'object' && Object.values(value).every(isNothing)
}

function texts(value: unknown): readonly string[] {
  return list(value).flatMap((each) => text(each) ?? [])
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
