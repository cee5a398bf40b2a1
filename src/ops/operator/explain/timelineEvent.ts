/** Something that happened to a request or a key, as the log or the table tells it. */
export interface TimelineEvent {
  /** Epoch milliseconds; undefined: the line does not say. */
  readonly at: number | undefined
  readonly from: 'log' | 'table'
  /** Consumer, flow or scope; of a flow with its stage. */
  readonly where: string
  readonly request: string | undefined
  readonly attempt: number | undefined
  readonly what: string
  readonly why: string | undefined
}

/** Attributes and fields of others may be anything. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
