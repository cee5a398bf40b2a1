/** Time and chance of the process. */
export interface Nature {
  /** Epoch milliseconds. */
  now(): number
  /** As of `Math.random`. */
  random(): number
}

let current: Nature | undefined

/** Of the schedule that runs. undefined: none does, and the process has its own. */
export function natureOfSchedule(): Nature | undefined {
  return current
}

/** A handler that asks the process gets the answer of the schedule, so that the schedule can be repeated. @returns the way back */
export function replaceNature(nature: Nature): () => void {
  const { now, random } = nature
  const RealDate = Date
  const realRandom = Object.getOwnPropertyDescriptor(Math, 'random') ?? {}
  current = nature
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
