import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from 'lineclear'
import type { Item, StoreKey } from '../../../src/store/store.ts'
import type { To } from './consumers.ts'

/** One bad record, and how it has to end. */
export interface Row {
  readonly what: string
  /** By default `orders`. */
  readonly to?: To
  readonly record: SQSRecord
  /** What stands in the store before it comes. */
  readonly items?: readonly (Item & StoreKey)[]
  readonly end: Settlement['kind']
  /** In the reason, the error, or what was dropped for. */
  readonly text?: string
  /** What the handler has to be given; by default it is not called. */
  readonly ran?: unknown
  /** Body of its dead letter; by default its own. */
  readonly letter?: string
}
