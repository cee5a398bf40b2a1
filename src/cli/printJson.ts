import type { Io } from './command.ts'

/** Sets as lists; nothing is cut. */
export function printJson(io: Pick<Io, 'out'>, value: unknown): void {
  const text = JSON.stringify(
    value,
    (_name, each: unknown) => (each instanceof Set ? [...each] : each),
    2,
  )
  io.out(text)
}
