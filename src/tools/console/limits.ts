/** What one client can take from the server. Times are milliseconds. */
export interface Limits {
  /** Open connections. With one more, the one that has waited longest for a request is closed. A browser has six. */
  readonly connections: number
  /** Until a request is there as a whole, from its first byte or from the connection on. */
  readonly requestTime: number
  /** Bytes of a request's head. */
  readonly headSize: number
  /** Between two looks for what is too late. */
  readonly lookEvery: number
  /** Readers of live events. */
  readonly readers: number
  /** Between two writes of live events. */
  readonly writeEvery: number
  /** Live events that are kept. */
  readonly events: number
}

export const LIMITS: Limits = {
  connections: 64,
  requestTime: 20_000,
  headSize: 16_384,
  lookEvery: 1_000,
  readers: 16,
  writeEvery: 50,
  events: 10_000,
}
