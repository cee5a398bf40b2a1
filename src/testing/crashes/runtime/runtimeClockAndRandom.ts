/** Replacements for `Date.now` and `Math.random`. */
export interface ClockAndRandom {
  /** Epoch milliseconds. */
  now(): number
  /** From 0 up to, but not including, 1. */
  random(): number
}

let current: ClockAndRandom | undefined

/** Those of the running schedule; undefined when none runs, and the process uses its own. */
export function clockAndRandomOfSchedule(): ClockAndRandom | undefined {
  return current
}

/** A handler that uses `Date` or `Math.random` gets values of the schedule, so that the schedule can be repeated. @returns undoes it */
export function replaceClockAndRandom(clockAndRandom: ClockAndRandom): () => void {
  const { now, random } = clockAndRandom
  const RealDate = Date
  const realRandom = Object.getOwnPropertyDescriptor(Math, 'random') ?? {}
  current = clockAndRandom
  Object.assign(globalThis, { Date: dateBy(now) })
  Object.assign(Math, { random })
  return () => {
    current = undefined
    Object.assign(globalThis, { Date: RealDate })
    Object.defineProperty(Math, 'random', realRandom)
  }
}

function dateBy(now: () => number): DateConstructor {
  return new Proxy(Date, {
    construct: (made, given, as): Date => {
      const date: unknown = Reflect.construct(made, given.length === 0 ? [now()] : given, as)
      return date as Date
    },
    apply: (made) => new made(now()).toString(),
    get: (made, name): unknown => (name === 'now' ? now : Reflect.get(made, name)),
  })
}
