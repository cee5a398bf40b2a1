import crypto from 'node:crypto'
import { clockAndRandomOfSchedule } from './runtimeClockAndRandom.ts'

type Bytes = NodeJS.ArrayBufferView
type BytesCallback = (error: Error | null, bytes: Buffer<ArrayBuffer>) => void
type NumberCallback = (error: null, number: number) => void

/** Replacement functions by name. */
type Replaced = Readonly<Record<string, unknown>>

/** The random functions of `node:crypto`: seeded inside a schedule, the real ones anywhere else. */
export function randomOfCrypto(): Replaced {
  const { randomUUID, randomBytes, randomInt, randomFillSync } = crypto
  return {
    randomUUID: (options?: crypto.RandomUUIDOptions) => drawUuid() ?? randomUUID(options),
    randomBytes: (size: number, callback?: BytesCallback) => {
      if (clockAndRandomOfSchedule() === undefined)
        return callback === undefined ? randomBytes(size) : randomBytes(size, callback)
      const bytes = fill(Buffer.alloc(size))
      if (callback === undefined) return bytes
      return queueMicrotask(() => callback(null, bytes))
    },
    randomFillSync: (bytes: Bytes, offset = 0, size?: number) => {
      if (clockAndRandomOfSchedule() === undefined) return randomFillSync(bytes, offset, size)
      fill(
        new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size ?? bytes.byteLength - offset),
      )
      return bytes
    },
    randomInt: (...given: readonly (number | NumberCallback)[]) => {
      const clockAndRandom = clockAndRandomOfSchedule()
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
export function randomOfWebCrypto(): Replaced {
  const real = globalThis.crypto
  const randomUUID = real.randomUUID.bind(real)
  const getRandomValues = real.getRandomValues.bind(real)
  return {
    randomUUID: () => drawUuid() ?? randomUUID(),
    getRandomValues: (bytes: Exclude<Bytes, DataView>) =>
      clockAndRandomOfSchedule() === undefined ? getRandomValues(bytes as never) : fill(bytes),
  }
}

function fill<B extends Bytes>(view: B): B {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  const clockAndRandom = clockAndRandomOfSchedule()
  for (const index of bytes.keys()) bytes[index] = Math.floor((clockAndRandom?.random() ?? 0) * 256)
  return view
}

const DIGITS = 31

function drawUuid(): string | undefined {
  const clockAndRandom = clockAndRandomOfSchedule()
  if (clockAndRandom === undefined) return undefined
  const digits = Array.from({ length: DIGITS }, () =>
    Math.floor(clockAndRandom.random() * 16).toString(16),
  )
  return digits.join('').replace(/^(.{8})(.{4})(.{3})(.{4})(.{12})$/, '$1-$2-4$3-$4-$5')
}
