import type { ServerResponse } from 'node:http'
import { HEADERS } from './send.ts'

interface StreamOptions {
  readonly after: number
  /** Milliseconds between two writes. */
  readonly every: number
}

/** Events in one write: a reader that gets more would not draw in time. */
const MOST = 1_000

/**
 * Writes live events as NDJSON, `{ n, event }` each: numbers that are left out are those of events that are not kept any more. A reader
 * that is slow gets fewer and larger writes; what it cannot take stays in the hub, so this needs no memory for it.
 * @returns when the reader has gone away
 */
export async function stream(
  hub: Hub,
  response: ServerResponse,
  { after, every }: StreamOptions,
): Promise<void> {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' })
  response.flushHeaders()
  // A number of another run of the server is of no event here.
  let last = after > hub.newest ? 0 : after
  const write = (): void => {
    if (response.writableNeedDrain || last === hub.newest) return
    const lines: string[] = []
    const first = Math.max(last + 1, hub.oldest)
    const end = Math.min(hub.newest, first + MOST - 1)
    for (let n = first; n <= end; n++) lines.push(lineOf(n, hub.at(n)))
    last = end
    response.write(`${lines.join('\n')}\n`)
  }
  const timer = setInterval(write, every)
  await new Promise<void>((resolve) => response.once('close', resolve))
  clearInterval(timer)
}

/** An event that is no JSON, such as one that holds itself, must not end the stream of the others. */
function lineOf(n: number, event: object | undefined): string {
  try {
    return JSON.stringify({ n, event })
  } catch {
    return JSON.stringify({ n, event: null })
  }
}

export interface EventFeed {
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
export function openHub(source: EventFeed, most: number): Hub {
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
