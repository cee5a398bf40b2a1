/**
 * Whether the attempt before this one was lost: its lease ended, and nothing was written at its end. It was killed, was cut off by
 * the timeout, or could not store its end. Only the claim that takes over knows, because a lost attempt reports nothing.
 */
export interface AfterLost {
  readonly afterLost?: true
}

export const AFTER_LOST: AfterLost = { afterLost: true }
