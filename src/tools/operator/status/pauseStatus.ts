import { type Pause, subjectOf } from '../../../sweeper/pause/pauseRow.ts'
import { formatTime } from '../text/humanTime.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** The sweeper runs once a minute, milliseconds. */
const GRACE = 2 * 60_000

/** What operators have paused. A pause is a note, until it should have ended, or if it was begun and not finished. */
export function pauseStatus(pauses: readonly Pause[], now: number): readonly StatusFinding[] {
  return pauses.map((pause) => ({
    severity: isLate(pause, now) ? 'warn' : 'note',
    kind: 'paused',
    of: subjectOf(pause),
    number: 1,
    atLeast: false,
    since: pause.since,
    what: describe(pause, now),
    ...nextStep({ action: 'resume', options: { mapping: pause.mapping } }),
  }))
}

function isLate({ state, until = Infinity, since }: Pause, now: number): boolean {
  return until + GRACE < now || (state !== 'paused' && since + GRACE < now)
}

function describe({ state, by, why, until }: Pause, now: number): string {
  if (state !== 'paused') return `${state}, begun by ${by} and not finished: ${why}`
  if (until === undefined) return `by ${by}, until it is resumed: ${why}`
  const end = formatTime(until, now)
  return until > now
    ? `by ${by} until ${end}: ${why}`
    : `by ${by}; it should have ended ${end}, and the sweeper has not resumed it: ${why}`
}
