import type { Item } from './store.ts'

/**
 * Reads what the port of the store does not offer, since no consumer needs it: an operator's rights are wider
 * (`dynamodb:Query` and `Scan` on the table, `DescribeTable` for the count).
 */
export interface TableReader {
  /** Every item under one partition key, consistently. */
  partition(pk: string): Promise<readonly Item[]>
  /** Every item of the table, page by page, as it was when its page was read. */
  scan(): AsyncIterable<readonly Item[]>
  /** About how many items there are; a few hours old. */
  count(): Promise<number | undefined>
}
