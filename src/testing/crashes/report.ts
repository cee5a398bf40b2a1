import type { CrashFinding, Anomaly } from './effects/compareEffects.ts'
import type { Schedule } from './schedule/runSchedule.ts'

/** The counts `lost`, `doubled`, `stale` and `stuck` are numbers of schedules; 0 each means that the handler is correct. */
export interface CrashReport extends Readonly<Record<Anomaly, number>> {
  readonly schedules: number
  /** Schedules whose faults led to a dead letter, or an error for the caller: what did not happen there counts as no loss. */
  readonly excused: number
  /** False when `limit` was reached first, or when schedules failed and the search was ended. */
  readonly complete: boolean
  /** What is wrong after the shortest failing schedule. */
  readonly finding: CrashFinding | undefined
  /** The steps of the shortest failing schedule. */
  readonly trace: readonly string[]
  /** Pass it as the option `seed` to run the shortest failing schedule alone. */
  readonly seed: string | undefined
  /** The whole report as text, for the message of a failed assertion. */
  readonly text: string
}

interface First {
  /** One id or key was used for two things: a clash explains more than its consequences do. */
  readonly isClash: boolean
  readonly finding: CrashFinding
  readonly trace: readonly string[]
  readonly seed: string
}

interface ScheduleTally {
  readonly counts: Record<Anomaly, number>
  /** Schedules with at least one finding. */
  failed: number
  excused: number
  first: First | undefined
  add(ended: Schedule, seed: string): void
}

export function openScheduleTally(): ScheduleTally {
  const tally: ScheduleTally = {
    counts: { lost: 0, doubled: 0, stale: 0, stuck: 0 },
    failed: 0,
    excused: 0,
    first: undefined,
    add({ effects, findings, isExcused, log }, seed) {
      if (isExcused) tally.excused += 1
      for (const anomaly of new Set(findings.map((each) => each.anomaly)))
        tally.counts[anomaly] += 1
      const [finding] = findings
      if (finding === undefined) return
      tally.failed += 1
      const found = { isClash: effects.clashes.length > 0, finding, trace: shortened(log), seed }
      if (tally.first === undefined || isBetter(found, tally.first)) tally.first = found
    },
  }
  return tally
}

function isBetter(one: First, other: First): boolean {
  if (one.isClash !== other.isClash) return one.isClash
  return one.trace.length < other.trace.length
}

/** A schedule that never comes to rest repeats the same steps for days. */
const [MOST_LINES, LAST_LINES] = [60, 6]

function shortened(log: readonly string[]): readonly string[] {
  if (log.length <= MOST_LINES) return [...log]
  const left = log.length - MOST_LINES
  const end = log.slice(-LAST_LINES)
  return [...log.slice(0, MOST_LINES - LAST_LINES), `… ${left} more steps …`, ...end]
}

export function reportOf(
  { counts, failed, excused, first }: ScheduleTally,
  schedules: number,
  complete: boolean,
): CrashReport {
  const note =
    excused === 0 ? '' : `; ${excused} ended with a dead letter or an error that reports it`
  const text =
    first === undefined
      ? `${schedules} schedules${complete ? '' : ', then the limit was reached'}: nothing lost, doubled, stale or stuck${note}`
      : [
          `${first.finding.anomaly}: ${first.finding.what}`,
          `${failed} of ${schedules} schedules failed. The shortest one:`,
          ...first.trace.map((line) => `    ${line}`),
          `To run only this schedule: exploreCrashes(build, record, { ...options, seed: '${first.seed}' })`,
        ].join('\n')
  const { finding, trace = [], seed } = first ?? {}
  return { ...counts, schedules, excused, complete, finding, trace, seed, text }
}
