import type { DeadLetter } from './deadLetter.ts'
import type { Looked, SeenGroup } from './look.ts'
import type { Orders, Pace } from './operation.ts'

/** How a run over dead letters or requests has ended. `aborted`: by the signal. `taken over`: another command goes on with it. */
export type BoundEnd = 'complete' | 'aborted' | NonNullable<Orders>

/** A dead letter as a plan names it, also when it is gone. */
export interface PlannedLetter {
  /** The id that SQS gave the message, so that no sender can choose one. */
  readonly messageId: string
  /** undefined: it carries none. */
  readonly uniqueRequestId?: string | undefined
  /** The request of the flow that it belongs to. */
  readonly run?: string | undefined
  /** Account and name of the queue that it would go to: hosts of one queue differ. */
  readonly to?: string | undefined
}

export function plannedLetter(deadLetter: DeadLetter): PlannedLetter {
  const { record, uniqueRequestId, identity, envelope } = deadLetter
  const { messageId } = record
  const { flow } = envelope.carried
  const run = flow && { run: flow.id }
  return identity === 'message' ? { messageId, ...run } : { messageId, uniqueRequestId, ...run }
}

export interface Bound {
  /** Only these. Default: all that are selected. */
  readonly only?: readonly PlannedLetter[] | undefined
  /** How many of `only` earlier runs have dealt with. Default 0. */
  readonly dealtWith?: number | undefined
  /** In a plan: called with each dead letter that would be changed. */
  readonly onPlanned?: ((letter: PlannedLetter) => void) | undefined
  /** Called after each page with the number of dead letters that are dealt with. What it answers ends the run. */
  readonly onPage?: ((done: number, pace?: Pace) => Promise<Orders>) | undefined
}

/** The dead letters of a plan that a run has not seen. */
export interface Unseen {
  /** Not on the queue any more, or another reader holds them. */
  readonly missing: number
  /** Those that are missing; after earlier runs also those that they have dealt with, as the plan does not record which. */
  readonly missingLetters: readonly PlannedLetter[]
  /** The run has ended before it looked at them: they are on the queue still. */
  readonly untried: number
}

export interface LettersReport extends Unseen, Looked {
  readonly mode: 'plan' | 'apply'
  /** In a plan: what is on the queue, and what would be changed of it. */
  readonly groups: readonly SeenGroup[]
  /** Held by another reader when the run began: these were not seen. */
  readonly hidden: number
  /** Message of the first error: refused, or not removed. */
  readonly error: string | undefined
}

export interface Planned {
  /** Every dead letter is, if there is no plan. */
  has(messageId: string): boolean
  /** Where it would go; undefined: the plan does not say. */
  destination(messageId: string): string | undefined
  see(messageIds: readonly string[]): void
  all(): boolean
  /** @param complete whether the run has looked at the whole queue */
  unseen(complete: boolean): Unseen
}

export function plannedOf({ only, dealtWith = 0 }: Bound): Planned {
  const planned = only && new Map(only.map((each) => [each.messageId, each]))
  const seen = new Set<string>()
  return {
    has: (messageId) => planned?.has(messageId) !== false,
    destination: (messageId) => planned?.get(messageId)?.to,
    see: (messageIds) => {
      for (const id of messageIds) if (planned?.has(id) === true) seen.add(id)
    },
    all: () => planned !== undefined && seen.size >= planned.size,
    unseen: (complete) => {
      const left = Math.max(0, (planned?.size ?? 0) - seen.size - dealtWith)
      if (!complete || left === 0) return { missing: 0, missingLetters: [], untried: left }
      const letters = (only ?? []).filter(({ messageId }) => !seen.has(messageId))
      return { missing: left, missingLetters: letters, untried: 0 }
    },
  }
}

/** Parts of the time that a drawing of a line of text's height can show. */
const PARTS = 24

/**
 * How many of the times are in each of 24 equal parts of the time from the first to the last.
 * @param times epoch milliseconds
 */
export function arrivalsOf(times: readonly number[]): readonly number[] {
  const parts = Array.from({ length: PARTS }, () => 0)
  const first = times.reduce((one, other) => Math.min(one, other), Infinity)
  const last = times.reduce((one, other) => Math.max(one, other), -Infinity)
  for (const time of times) {
    const part = last === first ? 0 : Math.floor(((time - first) / (last - first)) * PARTS)
    const at = Math.min(part, PARTS - 1)
    parts[at] = (parts[at] ?? 0) + 1
  }
  return parts
}
