/** Time and chance of the process. */
export interface Nature {
  /** Epoch milliseconds. */
  now(): number
  /** As of `Math.random`. */
  random(): number
}

/** A handler that asks the process gets the answer of the schedule, so that the schedule can be repeated. @returns the way back */
export function replaceNature({ now, random }: Nature): () => void {
  const RealDate = Date
  const realRandom = Object.getOwnPropertyDescriptor(Math, 'random') ?? {}
  Object.assign(globalThis, { Date: dateBy(now) })
  Object.assign(Math, { random })
  const randomUUID = (): string => uuidOf(random)
  Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true })
  return () => {
    Object.assign(globalThis, { Date: RealDate })
    Object.defineProperty(Math, 'random', realRandom)
    // The one of the prototype stands again.
    Reflect.deleteProperty(crypto, 'randomUUID')
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

const DIGITS = 31

function uuidOf(random: () => number): string {
  const digits = Array.from({ length: DIGITS }, () => Math.floor(random() * 16).toString(16))
  return digits.join('').replace(/^(.{8})(.{4})(.{3})(.{4})(.{12})$/, '$1-$2-4$3-$4-$5')
}
