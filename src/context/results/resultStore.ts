/**
 * Where results are stored that are too large for the table, such as `s3Results({ bucket })`. An adapter may throw: if `put`
 * fails, the work counts as done without a result; if `get` fails, the caller fails and may try again.
 */
export interface ResultStore {
  /** @param expiresAt epoch milliseconds after which it is not read any more. undefined: never. */
  put(key: string, text: string, expiresAt: number | undefined): Promise<void>
  /** @returns undefined when there is none, or none any more. */
  get(key: string): Promise<string | undefined>
}
