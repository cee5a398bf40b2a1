import type { RecordContext } from 'lineclear'

/** What is written by mistake, and the line that says so. */
export type Row = readonly [mistake: string, make: () => unknown, line: RegExp]
/** The same in a handler. */
export type Call = readonly [mistake: string, work: (ctx: RecordContext) => unknown, line: RegExp]

/** Whatever is written, the compiler lets it pass. */
export const any = (value: unknown): never => value as never
