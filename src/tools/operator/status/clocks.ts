import { note } from '../item/advise.ts'
import { explainTask, type Task } from '../item/task.ts'
import { formatDuration } from '../text/humanTime.ts'
import { nextStep, type StatusFinding } from './finding.ts'
import { GRACE } from './tableFindings.ts'

/**
 * Whose clock is wrong: that of this machine, or that of a function whose claims are in the future. Every lease and every retry
 * that such a function has written ends that much later.
 * @param behind how far this machine is behind AWS, by the date of its answers, milliseconds
 * @param more there are tasks that were not looked at
 */
export function wrongClocks(
  tasks: readonly Task[],
  now: number,
  { behind, more }: { readonly behind: number; readonly more: boolean },
): readonly StatusFinding[] {
  const real = now + behind
  const ahead = tasks.filter(({ since = real }) => since > real + GRACE)
  return [
    ...(Math.abs(behind) < GRACE ? [] : [ofThisMachine(behind)]),
    ...[...Map.groupBy(ahead, ({ of }) => of).values()].map((all) => ofFunction(all, real, more)),
  ]
}

const FINDING = { severity: 'warn', kind: 'wrong clock', atLeast: false, since: undefined } as const

function ofThisMachine(behind: number): StatusFinding {
  const by = `${formatDuration(Math.abs(behind))} ${behind > 0 ? 'behind' : 'ahead of'}`
  const set = note('set it first: what is late, overdue or long is computed by it')
  const { next, advice } = nextStep({ action: 'status' })
  const what = `its clock is ${by} that of AWS, so that the times here are wrong by as much`
  const rest = { next, afterwards: set.text, advice: [...advice, set] }
  return { ...FINDING, of: 'this machine', number: 1, what, ...rest }
}

function ofFunction(all: readonly Task[], now: number, atLeast: boolean): StatusFinding {
  const latest = all.reduce((one, other) => ((other.since ?? 0) > (one.since ?? 0) ? other : one))
  const { of, by = 'its function', since = now } = latest
  const time = formatDuration(since - now)
  const what = `claimed ${time} in the future: the clock of ${by} is ahead, by the time of AWS`
  return { ...FINDING, of, number: all.length, atLeast, what, ...nextStep(explainTask(latest)) }
}
