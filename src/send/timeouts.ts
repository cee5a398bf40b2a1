/**
 * Timeouts of the clients that are made here, milliseconds. By default the SDK waits forever, and a half-open connection would
 * use up the whole invocation.
 */
export const CALL_TIMES = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const

/** Timeouts for pollers and the command line, where one long poll takes up to 20 seconds. */
export const POLL_TIMES = {
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  throwOnRequestTimeout: true,
} as const
