import { newInvocation, runInside } from '../../../src/testing/local/faults/invocation.ts'
import { byClockOf } from './time.ts'
import { LOST_ANSWERS } from './lostAnswers.ts'
import { mode } from './mode.ts'

/** A function whose callers repeat their calls as the mode says. */
export function callInMode<Args extends readonly unknown[], Answer>(
  call: (...args: Args) => Promise<Answer>,
): (...args: Args) => Promise<Answer> {
  const { times = 1, atOnce, losesAnswers = false } = mode
  const once = (args: Args): Promise<Answer> => {
    const invocation = newInvocation(1, losesAnswers ? { at: LOST_ANSWERS } : {}, () => {})
    return byClockOf(call, () => runInside(invocation, () => call(...args)))
  }
  return async (...args) => {
    if (atOnce) return allAtOnce(times, () => once(args))
    const answer = await once(args)
    for (let time = 1; time < times; time++) await once(args).catch(() => {})
    return answer
  }
}

/** The others wait for it, by the clock of the test, or get the same: the test sees the answer of the first. */
function allAtOnce<Answer>(times: number, once: () => Promise<Answer>): Promise<Answer> {
  const first = once()
  for (let time = 1; time < times; time++) once().catch(() => {})
  return first
}
