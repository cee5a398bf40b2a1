import type { PauseOutcome } from '../../sweeper/pause/applyPause.ts'
import { type Pause, subjectOf } from '../../sweeper/pause/pauseRow.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import type { ExitCode, Io } from './command.ts'
import { jsonTime, printJson } from './printJson.ts'
import { oneLine } from './table.ts'

/** `until 2026-01-01T12:00:00.000Z (in 2 hours)`. */
export function endOf(until: number | undefined, now: number): string {
  return until === undefined ? 'until it is resumed' : `until ${formatTime(until, now)}`
}

/** One line for each pause, for lists and for the end of other commands. */
export function pauseLine(pause: Pause, now: number): string {
  const { state, by, why, until, mapping } = pause
  const over = until !== undefined && until <= now
  const how =
    state === 'paused'
      ? `paused by ${by} ${endOf(until, now)}${over ? ', and not resumed' : ''}`
      : `${state}: begun by ${by} and not finished`
  return oneLine(
    `${subjectOf(pause)}: ${how}: ${why}. To resume: lineclear resume --mapping ${mapping}`,
  )
}

export function pauseJson({ since, until, names, ...pause }: Pause): object {
  return { ...pause, ...names, since: jsonTime(since), until: jsonTime(until) ?? null }
}

interface PauseReport {
  readonly action: 'pause' | 'resume'
  readonly outcome:
    | 'planned'
    | 'another plan'
    | 'applied'
    | 'changed'
    | 'nothing'
    | 'refused'
    | 'missing'
  readonly plan?: string | undefined
  readonly mappings: readonly object[]
  /** Before the outcome. */
  readonly lines: readonly string[]
  readonly end: readonly string[]
}

/** For a terminal or, with `--json`, for a machine. */
export function reportPause(report: PauseReport, io: Io): ExitCode {
  const { action, outcome, plan, mappings, lines, end } = report
  if (io.json) printJson(io, { action, outcome, plan, mappings, notes: end })
  else for (const line of [...lines, ...end]) io.out(oneLine(line))
  return EXIT[outcome]
}

const EXIT = {
  planned: 0,
  applied: 0,
  nothing: 0,
  'another plan': 1,
  changed: 1,
  refused: 1,
  missing: 4,
} as const

/** A name that is misspelled stops and starts nothing: a script must not take it for done. */
export const MISSING =
  'Not found: no mapping of an SQS queue matches. Nothing was changed. Names are those of the tags of the functions; --queue and --function need no tags.'

/** What to type, under the plan. */
export function planEnd(plan: string, io: Io): Pick<PauseReport, 'outcome' | 'end'> {
  const why = io.change.why === undefined ? ' --why "…"' : ''
  const command = `  ${io.change.line} --apply ${plan}${why}`
  if (!io.change.apply) {
    return {
      outcome: 'planned',
      end: ['Nothing was changed: this is the plan. To make the change:', command],
    }
  }
  const said =
    io.change.plan === undefined
      ? 'Nothing was changed: --apply expects the name of the plan that you have seen. This is the plan. To make the change:'
      : `Refused: nothing was changed. This is not the plan ${io.change.plan}: a mapping or its pause has changed, or the command was another one. To make the change that is shown here:`
  return { outcome: 'another plan', end: [said, command] }
}

export const SAID: Readonly<Record<PauseOutcome, string>> = {
  done: 'done',
  gone: 'the mapping does not exist any more: its pause has ended',
  changed:
    'another operator, or the sweeper, has changed its pause at the same time: theirs stands',
}
