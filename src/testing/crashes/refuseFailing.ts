import { ConfigError } from '../../library/base/errors.ts'
import type { Effects } from './effects/effects.ts'
import type { Schedule } from './schedule/runSchedule.ts'

/**
 * Where messages die in every schedule each loss is excused by a death, and all seems right. So a run without faults has to complete
 * them, or end as the test says.
 * @throws ConfigError
 */
export function refuseFailing(calm: readonly Schedule[], named: readonly string[]): void {
  const failures = calm.flatMap(({ effects }) => failuresOf(effects))
  const isNamed = ({ why }: Failure): boolean => named.some((each) => why.startsWith(each))
  const [unexpected] = failures.filter((each) => !isNamed(each))
  // @protects A proof is refused when its messages die even without faults, unless the test names their end.
  // @tests test/testing/crashes/faults
  if (unexpected !== undefined) {
    throw new ConfigError(
      `exploreCrashes: even without faults the record does not complete: ${unexpected.how} (${unexpected.why}). Then no loss would be noticed. ` +
        'Correct the handler, or pass a record that it accepts; its dates are compared with `startAt`. ' +
        `If it has to end so, say it: expectedFailures: [${JSON.stringify(unexpected.why)}]`,
    )
  }
  const absent = named.find((each) => !failures.some(({ why }) => why.startsWith(each)))
  if (absent !== undefined) {
    throw new ConfigError(
      `exploreCrashes: expectedFailures: without faults nothing ends with ${JSON.stringify(absent)}; ${failures.length === 0 ? 'every message completes' : `there are: ${failures.map(({ why }) => why).join(', ')}`}. Leave it out`,
    )
  }
  // One that never comes to rest is reported with its steps.
  const isSeen = ({ effects, findings }: Schedule): boolean =>
    findings.length > 0 || leavesSomething(effects)
  if (failures.length > 0 || calm.some(isSeen)) return
  throw new ConfigError(
    'exploreCrashes: even without faults the handler leaves no row, message, statement or outside call, so there is nothing to compare. ' +
      'Pass a record that it acts on, and make its clients and its `outside` those of the cloud that your function is given',
  )
}

interface Failure {
  readonly how: string
  readonly why: string
}

function failuresOf({ dead, refusals, givenUp }: Effects): Failure[] {
  return [
    ...[...dead].map(([id, why]) => ({ how: `${id} becomes a dead letter`, why })),
    ...refusals.map((why) => ({ how: 'its caller gets an error', why })),
    ...givenUp.map((why) => ({ how: 'no attempt ends', why })),
  ]
}

function leavesSomething({ counts, rows, seeded, held, completed }: Effects): boolean {
  return [counts, rows, seeded, held, completed].some(({ size }) => size > 0)
}
