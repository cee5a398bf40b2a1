import { type ReadonlySignal, signal } from '@preact/signals'

export interface Intent {
  /** By its name in the server's table of actions. @example 'dlq.redrive' */
  readonly action: string
  readonly given: Readonly<Record<string, unknown>>
  /** What it does, for the heading. @example 'Send 6 letters back' */
  readonly title: string
  /** What only the person knows. It is asked for before the plan is made. */
  readonly ask?: readonly Asked[]
  readonly applied?: () => void
}

export interface Asked {
  /** Name in `given`; with `key`, the value stands in an object under that key. */
  readonly name: string
  readonly key?: string
  readonly label: string
  readonly kind: 'text' | 'json'
  readonly hint?: string
  readonly optional?: true
}

/** They do what is due, or what a plan of before says: nothing new is planned, and they are applied without a name. */
const UNBOUND: ReadonlySet<string> = new Set(['sweep', 'dlq.plan'])

export function isBound({ action }: Intent): boolean {
  return !UNBOUND.has(action)
}

const open = signal<Intent | undefined>(undefined)

export const intent: ReadonlySignal<Intent | undefined> = open

/** Opens the dialog that plans a change. Nothing changes before the person applies it there. */
export function planChange(next: Intent): void {
  open.value = next
}

export function closePlan(): void {
  open.value = undefined
}

/** What the person has typed, by the place of the question. */
export type Typed = Readonly<Record<number, string>>

/**
 * `given` with what was typed.
 * @returns the label of the first field that is missing or is not what it should be
 */
export function filledIn(
  { given, ask = [] }: Intent,
  typed: Typed,
): { readonly given: Readonly<Record<string, unknown>> } | { readonly wrong: string } {
  const filled: Record<string, unknown> = { ...given }
  for (const [at, asked] of ask.entries()) {
    const text = typed[at]?.trim() ?? ''
    if (text === '') {
      if (asked.optional === true) continue
      return { wrong: `${asked.label}: expected a value` }
    }
    const value = valueOf(asked, text)
    if (value === undefined) return { wrong: `${asked.label}: expected ${EXPECTED[asked.kind]}` }
    const { name, key } = asked
    filled[name] = key === undefined ? value : { ...(filled[name] as object), [key]: value }
  }
  return { given: filled }
}

const EXPECTED = {
  text: 'a text',
  json: 'JSON, such as {"ok":true} or "a text in quotes"',
} as const

function valueOf({ kind }: Asked, text: string): unknown {
  if (kind === 'text') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What `POST /api/plan` and `/api/apply` have answered, as a dialog shows it. */
export interface ShownPlan {
  /** Its name; undefined: there is nothing to apply. */
  readonly name: string | undefined
  /** @example 'dlq redrive' */
  readonly action: string
  readonly outcome: string
  /** What the outcome means, as the command says it. */
  readonly said: string
  readonly next: string | undefined
  readonly id: string | undefined
  /** The state now and afterwards, a line each. */
  readonly now: readonly string[]
  readonly after: readonly string[]
  /** All else that a person should know, a line each. */
  readonly lines: readonly string[]
  /** Until when an attempt may run on the item: only a forced change takes it over. ISO 8601. */
  readonly liveLease: string | undefined
  /** Dead letters that stay, and that only a forced redrive sends. */
  readonly held: number
}

export function shownPlan(answer: Readonly<Record<string, unknown>>): ShownPlan {
  const { action, command, plan, outcome, said, next, id, now, after, lines, liveLease } = answer
  return {
    name: text(plan),
    action: text(action) ?? text(command) ?? '',
    outcome: answer['running'] === true ? 'running' : (text(outcome) ?? ''),
    said: text(said) ?? '',
    next: text(next),
    id: text(id),
    now: texts(now),
    after: texts(after),
    lines: texts(lines),
    liveLease: text(liveLease),
    held: heldIn(answer['stays']),
  }
}

/** Without a record, or from another queue than the one that was named. */
function heldIn(stays: unknown): number {
  const { lostRecord = 0, otherSource = 0 } = (stays ?? {}) as Readonly<Record<string, number>>
  return lostRecord + otherSource
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.flatMap((each: unknown) => text(each) ?? []) : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
