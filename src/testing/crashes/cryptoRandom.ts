import crypto from 'node:crypto'
import { clockAndRandomOfSchedule } from './runtimeClockAndRandom.ts'

type Bytes = NodeJS.ArrayBufferView
type TellBytes = (error: Error | null, bytes: Buffer<ArrayBuffer>) => void
type TellNumber = (error: null, number: number) => void

/** Functions by their names. */
type Replaced = Readonly<Record<string, unknown>>

/** What `node:crypto` draws by chance: within a schedule it is the schedule's, anywhere else the system's. */
export function randomOfCrypto(): Replaced {
  const { randomUUID, randomBytes, randomInt, randomFillSync } = crypto
  return {
    randomUUID: (options?: crypto.RandomUUIDOptions) => drawUuid() ?? randomUUID(options),
    randomBytes: (size: number, tell?: TellBytes) => {
      if (clockAndRandomOfSchedule() === undefined)
        return tell === undefined ? randomBytes(size) : randomBytes(size, tell)
      const bytes = fill(Buffer.alloc(size))
      if (tell === undefined) return bytes
      return queueMicrotask(() => tell(null, bytes))
    },
    randomFillSync: (bytes: Bytes, offset = 0, size?: number) => {
      if (clockAndRandomOfSchedule() === undefined) return randomFillSync(bytes, offset, size)
      fill(
        new Uint8Array(bytes.buffer, bytes.byteOffset + offset, size ?? bytes.byteLength - offset),
      )
      return bytes
    },
    randomInt: (...given: readonly (number | TellNumber)[]) => {
      const clockAndRandom = clockAndRandomOfSchedule()
      if (clockAndRandom === undefined) return Reflect.apply(randomInt, crypto, given) as unknown
      const [first = 0, second = 0] = given.filter((each) => typeof each === 'number')
      const [least, below] = second === 0 && given[1] !== 0 ? [0, first] : [first, second]
      const drawn = least + Math.floor(clockAndRandom.random() * (below - least))
      const tell = given.find((each) => typeof each === 'function')
      if (tell === undefined) return drawn
      return queueMicrotask(() => tell(null, drawn))
    },
  }
}

/** The same of the global `crypto`. */
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
