import { type ReadonlySignal, signal } from '@preact/signals'
import { parseJson } from './words.ts'

export interface Intent {
  /** By its name in the server's table of actions. @example 'dlq.redrive' */
  readonly action: string
  readonly given: Readonly<Record<string, unknown>>
  /** What it does, for the heading. @example 'Send 6 letters back' */
  readonly title: string
  /** What only the person knows. It is asked for before the plan is made. */
  readonly ask?: readonly Asked[]
  /** The reason that is proposed: of a plan that goes on, the one for which it began. */
  readonly why?: string | undefined
  readonly applied?: () => void
}

export interface Asked {
  /** Name in `given`; with `key`, the value is a member of an object, under that key. */
  readonly name: string
  readonly key?: string
  readonly label: string
  readonly kind: 'text' | 'json'
  readonly hint?: string
  readonly optional?: true
}

/** A sweep does what is due, whatever that is: it is applied without a name. */
export function isBound({ action }: Intent): boolean {
  return action !== 'sweep'
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
    const { name, key, kind, label } = asked
    const read = kind === 'json' ? parseJson(text) : { value: text }
    if ('because' in read) return { wrong: `${label}: expected ${JSON_EXPECTED}` }
    const { value } = read
    filled[name] = key === undefined ? value : { ...(filled[name] as object), [key]: value }
  }
  return { given: filled }
}

const JSON_EXPECTED = 'JSON, such as {"ok":true} or "a text in quotes"'

/** What `POST /api/plan` and `/api/apply` answer, as far as the dialog shows it. */
export interface PlanAnswer {
  /** Its name; undefined: there is nothing to apply. */
  readonly plan?: string
  /** @example 'dlq redrive' */
  readonly action?: string
  readonly outcome?: string
  /** It runs on behind its answer. */
  readonly running?: boolean
  /** What the outcome means, as the command says it. */
  readonly said?: string
  readonly next?: string
  readonly id?: string
  /** The state now and afterwards, and all else that a person should know, a line each. */
  readonly now?: readonly string[]
  readonly after?: readonly string[]
  readonly lines?: readonly string[]
  /** Until when an attempt may run on the item: only a forced change takes it over. ISO 8601. */
  readonly liveLease?: string
  /** Dead letters that stay, by why. */
  readonly stays?: { readonly lostRecord?: number; readonly otherSource?: number }
}

/** What only a forced change does; undefined: there is nothing of that kind. */
export function forcedIn({ liveLease, stays }: PlanAnswer): string | undefined {
  if (liveLease !== undefined) {
    return 'An attempt may be running. Take its lease away: it can then write nothing more.'
  }
  const { lostRecord = 0, otherSource = 0 } = stays ?? {}
  return lostRecord + otherSource > 0 ? FORCED : undefined
}

export const FORCED =
  'Also send those that stay because it is unknown whether their work was done, or whose queue it is.'
