import type { CrashFinding, Anomaly } from './compareEffects.ts'
import type { Schedule } from './runSchedule.ts'

/** How many schedules ended so; all of them 0 is what you want. */
export interface CrashReport extends Readonly<Record<Anomaly, number>> {
  readonly schedules: number
  /** False: the limit came first, or enough had failed. */
  readonly complete: boolean
  /** Of the smallest failing schedule: what was wrong, what happened step by step, and the seed that runs it again. */
  readonly finding: CrashFinding | undefined
  readonly trace: readonly string[]
  readonly seed: string | undefined
  /** All of it, for a person. */
  readonly text: string
}

interface First {
  /** One id, or one key, for two things: it says more than what came of it. */
  readonly isClash: boolean
  readonly finding: CrashFinding
  readonly trace: readonly string[]
  readonly seed: string
}

interface ScheduleTally {
  readonly counts: Record<Anomaly, number>
  first: First | undefined
  add(ended: Schedule, seed: string): void
}

export function openScheduleTally(): ScheduleTally {
  const tally: ScheduleTally = {
    counts: { lost: 0, doubled: 0, stale: 0, stuck: 0 },
    first: undefined,
    add({ effects, findings, log }, seed) {
      for (const trouble of new Set(findings.map((each) => each.trouble)))
        tally.counts[trouble] += 1
      const [finding] = findings
      if (finding === undefined) return
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

/** What never comes to rest goes on in the same way for days. */
const [MOST_LINES, LAST_LINES] = [60, 6]

function shortened(log: readonly string[]): readonly string[] {
  if (log.length <= MOST_LINES) return [...log]
  const left = log.length - MOST_LINES
  const end = log.slice(-LAST_LINES)
  return [...log.slice(0, MOST_LINES - LAST_LINES), `… ${left} more steps …`, ...end]
}

export function reportOf(
  { counts, first }: ScheduleTally,
  schedules: number,
  complete: boolean,
  dead: readonly string[] = [],
): CrashReport {
  const note =
    dead.length === 0 ? '' : `; also without faults a message is dead-lettered: ${dead.join(', ')}`
  const text =
    first === undefined
      ? `${schedules} schedules${complete ? '' : ', and there are more'}: nothing lost, doubled, stale or stuck${note}`
      : [
          `${first.finding.trouble}: ${first.finding.what}`,
          ...first.trace.map((line) => `    ${line}`),
          `Once more: seed '${first.seed}'`,
        ].join('\n')
  const { finding, trace = [], seed } = first ?? {}
  return { ...counts, schedules, complete, finding, trace, seed, text }
}
