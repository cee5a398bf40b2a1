import type { Io } from './command.ts'
import { visibleJson } from './table.ts'

/** Sets become lists. Nothing is cut, and invisible characters are escaped. */
export function printJson(io: Pick<Io, 'out'>, value: unknown): void {
  const text = JSON.stringify(
    value,
    (_name, each: unknown) => (each instanceof Set ? [...each] : each),
    2,
  )
  io.out(visibleJson(text))
}
