/** What a call does, in words, and what it is about. No value of an item but those of its key, and no body. */
export interface CallDescription {
  /** @example 'claims orders/o-1', 'effect reserve of orders/o-1: updates stock sku=apple', 'publishes to paid' */
  readonly words: string
  /** The table, or the first of several. */
  readonly table?: string
  /** The item's key; of Lineclear's items `CONSUMER/ID` or `FLOW/KEY`. @example 'sku=apple' */
  readonly key?: string
  /** The name of the effect (`applyOnce`) or the outside call (`once`) that it is part of. */
  readonly effect?: string
  /** The ids of the requests that it belongs to, where the call itself tells. */
  readonly requests?: readonly string[]
  /** The queue or topic, by name. */
  readonly to?: string
  /** The ids of the requests that it sends, as far as they are stamped. */
  readonly sends?: readonly string[]
}

/** @param action such as `UpdateItem` */
export type DescribeCall = (action: string, input: object) => CallDescription
