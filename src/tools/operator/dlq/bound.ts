import type { IdSet, PlannedLetter } from './idSet.ts'
import type { Orders, Pace } from './operation.ts'

/** How a run over dead letters or requests has ended. `aborted`: by the signal. `taken over`: another command goes on with it. */
export type BoundEnd = 'complete' | 'aborted' | NonNullable<Orders>

export interface Bound {
  /** Only these message ids. Default: all that are selected. */
  readonly only?: IdSet | undefined
  /** How many of `only` earlier runs have dealt with. Default 0. */
  readonly dealtWith?: number | undefined
  /** In a plan: called with each dead letter that would be changed. */
  readonly onPlanned?: ((letter: PlannedLetter) => void) | undefined
  /** Called after each page with the number of dead letters that are dealt with. What it answers ends the run. */
  readonly onPage?: ((done: number, pace?: Pace) => Promise<Orders>) | undefined
}

/** Those of a plan that a run has not seen. */
export interface Unseen {
  /** Not on the queue any more, or another reader holds them. */
  readonly missing: number
  /** Those that are missing; after earlier runs also those that they have dealt with, which the plan does not tell apart. */
  readonly missingLetters: readonly PlannedLetter[]
  /** The run has ended before it looked at them: they are on the queue still. */
  readonly untried: number
}

export function plannedSeen({ only, dealtWith = 0 }: Bound): {
  see(messageIds: readonly string[]): void
  all(): boolean
  /** @param complete whether the run has looked at the whole queue */
  unseen(complete: boolean): Unseen
} {
  const seen = new Set<string>()
  return {
    see: (messageIds) => {
      for (const id of messageIds) if (only?.has(id) === true) seen.add(id)
    },
    all: () => only !== undefined && seen.size >= only.size,
    unseen: (complete) => {
      const left = Math.max(0, (only?.size ?? 0) - seen.size - dealtWith)
      if (!complete || left === 0) return { missing: 0, missingLetters: [], untried: left }
      const letters = [...(only?.letters() ?? [])].filter(({ messageId }) => !seen.has(messageId))
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
