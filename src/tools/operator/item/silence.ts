/** Why an attempt leaves nothing in the table. */
export const SILENCE: string =
  'killed (out of memory, a crash), cut off by the timeout of its function, or unable to store its end'

/**
 * Whether no attempt before the last one has reported an end: each end that is stored leaves its error, which stays until the request
 * has completed.
 */
export function isSilent({
  attempt = 0,
  error,
}: {
  readonly attempt?: number | undefined
  readonly error?: string | undefined
}): boolean {
  return attempt >= 2 && error === undefined
}
