import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from 'lineclear'
import type { Item, StoreKey } from '../../../src/library/protocol/store/store.ts'
import type { To } from './consumers.ts'

/** One bad record, and how it has to end. */
export interface Row {
  readonly what: string
  /** By default `orders`. */
  readonly to?: To
  readonly record: SQSRecord
  /** Items in the store before it is delivered. */
  readonly items?: readonly (Item & StoreKey)[]
  readonly end: Settlement['kind']
  /** Expected in the reason or the error. */
  readonly text?: string
  /** The expected payload of the handler; by default it is not called. */
  readonly ran?: unknown
  /** Body of its dead letter; by default its own. */
  readonly letter?: string
}
