/** `GET /api/requestGroups`: what waits for an operator. */
export interface RequestGroup {
  readonly group: string
  readonly count: number
  /** Consumer or scope. */
  readonly of: string
  readonly reason: string
  readonly error: string
  /** Names of the calls whose outcome is unknown. */
  readonly calls: readonly string[]
  readonly oldest?: string
  readonly example: string
}

/** Whether it waits because nobody knows what happened outside. Others wait because they have failed. */
export function isDoubt({ reason, calls }: RequestGroup): boolean {
  return reason === 'unknown' || calls.length > 0
}
