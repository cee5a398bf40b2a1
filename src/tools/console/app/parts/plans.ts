import { type ReadonlySignal, signal } from '@preact/signals'

/** A change that is planned, shown, and then made. */
export interface Intent {
  /** By its name in the server's table of actions. @example 'dlq.redrive' */
  readonly action: string
  readonly given: Readonly<Record<string, unknown>>
  /** What it does, for the heading. @example 'Send 6 letters back' */
  readonly title: string
  /** What only the person knows. It is asked for before the plan is made. */
  readonly ask?: readonly Asked[]
  /** Called when it was applied. */
  readonly applied?: () => void
}

export interface Asked {
  /** Name in `given`; with `key`, the value stands in an object under that key. */
  readonly name: string
  readonly key?: string
  readonly label: string
  /** `json`: a JSON value. `number`: a whole number. */
  readonly kind: 'text' | 'json' | 'number'
  readonly hint?: string
  /** Default: it is needed. */
  readonly optional?: true
}

/** They do what is due, or what a plan of before says: nothing new is planned, and they are applied without a name. */
const UNBOUND: ReadonlySet<string> = new Set(['sweep', 'dlq.plan'])

export function isBound({ action }: Intent): boolean {
  return !UNBOUND.has(action)
}

const open = signal<Intent | undefined>(undefined)

/** The change that the dialog is about. */
export const intent: ReadonlySignal<Intent | undefined> = open

/** Opens the dialog that plans a change. Nothing changes before the person applies it there. */
export function planChange(next: Intent): void {
  open.value = next
}

export function closePlan(): void {
  open.value = undefined
}
