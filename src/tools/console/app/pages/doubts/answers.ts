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
  /** What `--not-done` of a release has to name. */
  readonly notDone: readonly string[]
  readonly oldest?: string
  readonly example: string
}

/** Whether the outcome of a call is unknown. Other parked requests have failed. */
export function isDoubt({ reason, calls }: RequestGroup): boolean {
  return reason === 'unknown' || calls.length > 0
}
