import type { HandlerResult, RecordContext } from 'lineclear'

/** A mistake, and the line of its error. */
export type Row = readonly [mistake: string, make: () => unknown, line: RegExp]
/** The same in a handler. */
export type Call = readonly [
  mistake: string,
  work: (ctx: RecordContext) => HandlerResult,
  line: RegExp,
]

/** Lets any value pass the compiler. */
export const any = (value: unknown): never => value as never
