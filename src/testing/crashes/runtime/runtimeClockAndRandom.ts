import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import promises from 'node:timers/promises'

/** Replacements for `Date.now` and `Math.random`. */
export interface ClockAndRandom {
  /** Epoch milliseconds. */
  now(): number
  /** From 0 up to, but not including, 1. */
  random(): number
}

/** Clock and random numbers of the running schedule; undefined: none runs, and the process uses its own. */
let current: ClockAndRandom | undefined

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

/**
 * Replaces what a handler imports from Node's modules: random numbers and the promise timers. Done once for a whole
 * exploration, since `syncBuiltinESMExports` takes as long as a schedule. @returns undoes it
 */
export function replaceBuiltins(): () => void {
  const sleep = promises.setTimeout
  const { randomUUID, randomBytes, randomInt, randomFillSync } = crypto
  Object.assign(crypto, randomOfCrypto())
  Object.assign(promises, { setTimeout: sleepByTimers })
  syncBuiltinESMExports()
  const web = randomOfWebCrypto()
  for (const [name, value] of Object.entries(web))
    Object.defineProperty(globalThis.crypto, name, { value, configurable: true })
  return () => {
    Object.assign(crypto, { randomUUID, randomBytes, randomInt, randomFillSync })
    Object.assign(promises, { setTimeout: sleep })
    syncBuiltinESMExports()
    // Uncovers the methods of the prototype.
    for (const name of Object.keys(web)) Reflect.deleteProperty(globalThis.crypto, name)
  }
}

/** Uses the global timers, which a schedule controls. */
function sleepByTimers<T>(
  milliseconds?: number,
  value?: T,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(
        Object.assign(new Error('The operation was aborted'), {
          name: 'AbortError',
          code: 'ABORT_ERR',
        }),
      )
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    }, milliseconds)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

type Bytes = NodeJS.ArrayBufferView
type BytesCallback = (error: Error | null, bytes: Buffer<ArrayBuffer>) => void
type NumberCallback = (error: null, number: number) => void

/** Replacement functions by name. */
type Replaced = Readonly<Record<string, unknown>>

/** The random functions of `node:crypto`: seeded inside a schedule, the real ones anywhere else. */
function randomOfCrypto(): Replaced {
  const { randomUUID, randomBytes, randomInt, randomFillSync } = crypto
  return {
    randomUUID: (options?: crypto.RandomUUIDOptions) => drawUuid() ?? randomUUID(options),
    randomBytes: (size: number, callback?: BytesCallback) => {
      if (current === undefined)
        return callback === undefined ? randomBytes(size) : randomBytes(size, callback)
      const bytes = fill(Buffer.alloc(size))
      if (callback === undefined) return bytes
      return queueMicrotask(() => callback(null, bytes))
    },
    randomFillSync: (bytes: Bytes, offset = 0, size?: number) => {
      if (current === undefined) return randomFillSync(bytes, offset, size)
      fill(
        new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size ?? bytes.byteLength - offset),
      )
      return bytes
    },
    randomInt: (...given: readonly (number | NumberCallback)[]) => {
      const clockAndRandom = current
      if (clockAndRandom === undefined) return Reflect.apply(randomInt, crypto, given) as unknown
      const [first = 0, second = 0] = given.filter((each) => typeof each === 'number')
      const [least, below] = second === 0 && given[1] !== 0 ? [0, first] : [first, second]
      const drawn = least + Math.floor(clockAndRandom.random() * (below - least))
      const callback = given.find((each) => typeof each === 'function')
      if (callback === undefined) return drawn
      return queueMicrotask(() => callback(null, drawn))
    },
  }
}

/** The same for the global `crypto`. */
function randomOfWebCrypto(): Replaced {
  const real = globalThis.crypto
  const randomUUID = real.randomUUID.bind(real)
  const getRandomValues = real.getRandomValues.bind(real)
  return {
    randomUUID: () => drawUuid() ?? randomUUID(),
    getRandomValues: (bytes: Exclude<Bytes, DataView>) =>
      current === undefined ? getRandomValues(bytes as never) : fill(bytes),
  }
}

function fill<B extends Bytes>(view: B): B {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  const clockAndRandom = current
  for (const index of bytes.keys()) bytes[index] = Math.floor((clockAndRandom?.random() ?? 0) * 256)
  return view
}

const DIGITS = 31

function drawUuid(): string | undefined {
  const clockAndRandom = current
  if (clockAndRandom === undefined) return undefined
  const digits = Array.from({ length: DIGITS }, () =>
    Math.floor(clockAndRandom.random() * 16).toString(16),
  )
  return digits.join('').replace(/^(.{8})(.{4})(.{3})(.{4})(.{12})$/, '$1-$2-4$3-$4-$5')
}
