/**
 * For the clients that are made here, milliseconds. The SDK's default waits forever: a half-open connection would use up the
 * whole invocation.
 */
export const CALL_TIMES = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const

/** For pollers and the command line: one long poll takes up to 20 seconds. */
export const POLL_TIMES = {
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  throwOnRequestTimeout: true,
} as const
