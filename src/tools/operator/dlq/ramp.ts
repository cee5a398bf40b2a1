import type { Clock } from '../../../library/base/clock.ts'

/** How fast dead letters are sent at first: 1, then 2, 5, 10, 20, 50 … until `rate`. After each step its outcome is looked at. */
interface Ramp {
  /** Dead letters a second. */
  rate(): number
  /** How many to send until the next look. Infinity: the full rate is reached. */
  left(): number
  /** @returns whether a step is through */
  sent(count: number): boolean
}

/** @param steps none: sends at the full rate from the beginning */
export function rampUpTo(rate: number, steps: readonly number[] = stepsBelow(rate)): Ramp {
  let step = 0
  let left = steps[0] ?? Infinity
  return {
    rate: () => steps[step] ?? rate,
    left: () => left,
    sent(count) {
      left -= count
      if (left > 0) return false
      step += 1
      left = steps[step] ?? Infinity
      return true
    },
  }
}

const SERIES = [1, 2, 5]

function stepsBelow(rate: number): readonly number[] {
  const steps: number[] = []
  for (let power = 1; power < rate; power *= 10) {
    steps.push(...SERIES.map((each) => each * power).filter((each) => each < rate))
  }
  return steps
}

type RateLimit = (deadLetters: number) => Promise<void>

/** @param rate dead letters a second */
export function limitRate(rate: () => number, clock: Clock, signal?: AbortSignal): RateLimit {
  let free = clock.now()
  return async (deadLetters) => {
    const now = clock.now()
    free = Math.max(free, now - 1_000) + (deadLetters / rate()) * 1_000
    if (free > now) await clock.sleep(free - now, signal)
  }
}
