/**
 * For the clients that are made here, milliseconds. The SDK's own default waits for ever: a connection that is half open
 * would take the whole invocation with it.
 */
export const CALL_TIMES = {
  connectionTimeout: 1_000,
  requestTimeout: 5_000,
  throwOnRequestTimeout: true,
} as const

/** For what polls, and for the command line: a long poll alone takes up to 20 seconds. */
export const POLL_TIMES = {
  connectionTimeout: 3_000,
  requestTimeout: 30_000,
  throwOnRequestTimeout: true,
} as const
