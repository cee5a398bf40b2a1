/** Where live events come from. */
export interface EventSource {
  /** @returns ends it */
  subscribe(take: (event: object) => void): () => void
}

/** Keeps the newest events, by their number. */
export interface Hub {
  /** Number of the newest event; 0: there was none. */
  readonly newest: number
  /** Number of the oldest event that is kept. */
  readonly oldest: number
  /** @param n between `oldest` and `newest` */
  at(n: number): object | undefined
  stop(): void
}

/** @param most how many events are kept: an event has some 500 bytes */
export function openHub(source: EventSource, most: number): Hub {
  const kept: (object | undefined)[] = []
  let newest = 0
  // Nothing is serialized here: it runs inside the work that is observed.
  const stop = source.subscribe((event) => {
    newest += 1
    kept[newest % most] = event
  })
  return {
    get newest() {
      return newest
    },
    get oldest() {
      return Math.max(1, newest - most + 1)
    },
    at: (n) => kept[n % most],
    stop,
  }
}
