import { isWhole } from '../depth.ts'
import { explore, type Report } from './explore.ts'
import type { Budget } from './nextOptions.ts'
import type { Protection } from './protections/index.ts'
import type { Scenario } from './scenario.ts'
import { type ScenarioName, scenarios } from './scenarios.ts'
import {
  type CrashFault,
  USUAL_FAULTS,
} from '../../../src/testing/crashes/simulation/crashFaults.ts'

/** `LINECLEAR_MODEL=deep` explores more: two faults, and a third invocation beside. `trace`: prints how each breaks. */
const MODE: string | undefined = process.env['LINECLEAR_MODEL']
export const isDeep: boolean = MODE === 'deep'

/** Enough for all schedules of one fault; a deep run ends a scenario here. */
const MOST = isDeep ? 400_000 : 20_000
/** Of what keeps its promises the proof sees the first schedules, and the whole proof all of them. */
const MOST_OF_RIGHT = isDeep || isWhole ? MOST : 800
/** All schedules must have been explored. */
export const needsAll: boolean = isWhole && !isDeep
/** Where nothing breaks, a deep run looks at every schedule, and every other run at the first of them. */
const MOST_OF_NOTHING = isDeep ? MOST : 200

const ALL_FAULTS: readonly CrashFault[] = [...USUAL_FAULTS, 'killed each time', 'killed before']

/** Schedules of two invocations at once and one fault; deep: of two faults. */
export function exploreWell(scenario: Scenario, more: Partial<Budget> = {}): Promise<Report> {
  const only = isDeep ? ALL_FAULTS : scenario.light
  const budget: Budget = {
    faults: isDeep ? 2 : 1,
    deliveries: 2,
    limit: MOST_OF_RIGHT,
    ...(only && { only }),
    ...more,
  }
  return explore(scenario, budget)
}

export const HEAD: string[] = ['scenario', 'schedules', 'of them run', 'broken']

export function rowOf(
  { name }: Scenario,
  { covered, schedules, whole, violation }: Report,
): string[] {
  return [name, `${covered}${whole ? '' : ' of more'}`, String(schedules), violation ?? 'nothing']
}

export interface Finding {
  readonly schedules: number
  readonly scenario: ScenarioName | undefined
  readonly violation: string | undefined
  readonly trace: readonly string[]
}

/** Every schedule of the scenarios without this protection, until a promise breaks. */
export async function exploreWithout(protection: Protection): Promise<Finding> {
  const { faults = 1, deliveries = 2, only, survives } = protection
  const limit = survives === undefined ? MOST : MOST_OF_NOTHING
  let schedules = 0
  for (const scenario of protection.scenarios) {
    const budget = { faults, deliveries, limit, ...(only && { only }) }
    const report: Report = await explore(scenarios[scenario], budget, protection.removal)
    schedules += report.schedules
    const { violation, trace } = report
    if (violation !== undefined) return { schedules, scenario, violation, trace }
  }
  return { schedules, scenario: undefined, violation: undefined, trace: [] }
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `\n${lines.join('\n')}\n`
}

export function print(lines: string): void {
  process.stdout.write(`${lines}\n`)
}

/** What broke, and the schedule that broke it; empty when nothing did. */
export function traceOf({ violation, trace }: Pick<Report, 'violation' | 'trace'>): string {
  return violation === undefined ? '' : [violation, ...trace].join('\n    ')
}

export const showsTraces: boolean = MODE === 'trace'
