import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'
import { countOutcomes, type Outcomes } from './countOutcomes.ts'

/**
 * Ends a run with `N passed, N failed`, alone on the last line, for people and for scripts.
 * It is written when the process ends: coverage is judged after the last test and can still fail the run.
 * @param notRun a line to stand above it: which tests this machine cannot run
 */
export function closingLine(notRun?: string): Reporter {
  let outcomes: Outcomes = { passed: 0, failed: 0, skipped: 0 }
  return {
    onInit: () => {
      process.once('exit', () => {
        const verdict = settle(outcomes, process.exitCode)
        if (verdict.failed > 0) process.exitCode = 1
        if (notRun !== undefined) writeSync(1, `${notRun}\n`)
        writeSync(1, `${describe(verdict)}\n`)
      })
    },
    onTestRunEnd: (modules: readonly TestModule[], uncaught: readonly unknown[]) => {
      outcomes = countOutcomes(modules, uncaught)
    },
  }
}

/** A run of no tests proves nothing; a run that something else failed (coverage, teardown) has not passed. */
function settle(outcomes: Outcomes, exitCode: unknown): Outcomes {
  const provesNothing = outcomes.passed + outcomes.failed === 0
  const failedElsewhere = outcomes.failed === 0 && Number(exitCode ?? 0) !== 0
  return provesNothing || failedElsewhere ? { ...outcomes, failed: 1 } : outcomes
}

function describe({ passed, failed, skipped }: Outcomes): string {
  const counted = `${passed} passed, ${failed} failed`
  return skipped === 0 ? counted : `${counted}, ${skipped} skipped`
}
