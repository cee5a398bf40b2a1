import type { Finding, Trouble } from './judge.ts'
import type { Schedule } from './runSchedule.ts'

/** How many schedules ended so; all of them 0 is what you want. */
export interface CrashReport extends Readonly<Record<Trouble, number>> {
  readonly schedules: number
  /** False: the limit came first, or enough had failed. */
  readonly complete: boolean
  /** Of the smallest failing schedule: what was wrong, what happened step by step, and the seed that runs it again. */
  readonly finding: Finding | undefined
  readonly trace: readonly string[]
  readonly seed: string | undefined
  /** All of it, for a person. */
  readonly text: string
}

interface First {
  readonly finding: Finding
  readonly trace: readonly string[]
  readonly seed: string
}

export interface Tally {
  readonly counts: Record<Trouble, number>
  first: First | undefined
  add(ended: Schedule, seed: string): void
}

export function openTally(): Tally {
  const tally: Tally = {
    counts: { lost: 0, doubled: 0, stale: 0, stuck: 0 },
    first: undefined,
    add({ findings, log }, seed) {
      for (const trouble of new Set(findings.map((each) => each.trouble)))
        tally.counts[trouble] += 1
      const [finding] = findings
      if (finding === undefined) return
      if (tally.first === undefined || log.length < tally.first.trace.length)
        tally.first = { finding, trace: [...log], seed }
    },
  }
  return tally
}

export function reportOf(
  { counts, first }: Tally,
  schedules: number,
  complete: boolean,
): CrashReport {
  const text =
    first === undefined
      ? `${schedules} schedules${complete ? '' : ', and there are more'}: nothing lost, doubled, stale or stuck`
      : [
          `${first.finding.trouble}: ${first.finding.what}`,
          ...first.trace.map((line) => `    ${line}`),
          `Once more: seed '${first.seed}'`,
        ].join('\n')
  const { finding, trace = [], seed } = first ?? {}
  return { ...counts, schedules, complete, finding, trace, seed, text }
}
