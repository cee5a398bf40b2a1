/** Something that happened to a request or a key, from the log or the table. */
export interface TimelineEvent {
  /** Epoch milliseconds; undefined: the line has no time. */
  readonly at: number | undefined
  readonly from: 'log' | 'table'
  /** Consumer, scope, or flow with its stage. */
  readonly where: string
  readonly request: string | undefined
  readonly attempt: number | undefined
  readonly what: string
  readonly why: string | undefined
}

/** The value if it is a non-empty text. Attributes and log fields may hold anything. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
