import type { Item } from './store.ts'

/**
 * Reads for operators, which the `Store` interface does not have because no consumer needs them. An operator needs more
 * permissions (`dynamodb:Query` and `Scan` on the table, `DescribeTable` for the count).
 */
export interface TableReader {
  /** Reads every item of one partition key consistently. */
  partition(pk: string): Promise<readonly Item[]>
  /** Reads every item of the table, page by page, as it was when its page was read. */
  scan(): AsyncIterable<readonly Item[]>
  /** The approximate number of items, a few hours old. */
  count(): Promise<number | undefined>
}
