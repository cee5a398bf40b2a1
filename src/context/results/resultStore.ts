/**
 * Where results go that are too large for the table. An adapter may throw: what cannot be put is kept as done without a
 * result, and what cannot be got fails the caller, who may come again.
 */
export interface ResultStore {
  /** `expiresAt`, epoch milliseconds: nobody asks for it later. Undefined: it is to stay. */
  put(key: string, text: string, expiresAt: number | undefined): Promise<void>
  /** undefined: there is none (any more). */
  get(key: string): Promise<string | undefined>
}
