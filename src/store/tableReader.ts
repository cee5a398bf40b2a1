import type { Item } from './store.ts'

/**
 * Reads for operators, which the `Store` interface does not have because no consumer needs them. An operator needs more
 * permissions (`dynamodb:Query` and `Scan` on the table, `DescribeTable` for the count).
 */
export interface TableReader {
  /** Reads every item of one partition key consistently. */
  partition(pk: string): Promise<readonly Item[]>
  /** Reads every item of the table, or of a part, page by page. A page may be a second old. */
  scan(part?: ScanPart): AsyncIterable<readonly Item[]>
  /** The approximate number of items, a few hours old. */
  count(): Promise<number | undefined>
}

/** A part of a scan. DynamoDB bills every item that it looks at, also those that `prefix` leaves out. */
export interface ScanPart {
  /** Only items whose partition key begins with it. Default: all. */
  readonly prefix?: string
  /** One of `of` segments, counted from 0, which can be read concurrently. Default: the whole table. */
  readonly segment?: { readonly index: number; readonly of: number }
  /** Called before each page is yielded. */
  readonly onPage?: (page: { readonly looked: number; readonly readUnits: number }) => void
}
