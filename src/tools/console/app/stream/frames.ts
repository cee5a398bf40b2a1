import type { LocalEvent } from '../../../../testing/local/observe/event.ts'

/** A line of `GET /api/events`. `n` counts all events of the server from 1. null: the event could not be sent. */
export interface Frame {
  readonly n: number
  readonly event: LocalEvent | null
}

/** Sees to it that each event is taken once, and that those that did not come are counted. */
interface Numbering {
  /** Events that did not come, since the first that did. */
  readonly skipped: number
  /** Number of the newest event that came; 0: none did. */
  readonly last: number
  /** @returns undefined: the event came before, or it is no event */
  take(frame: Frame): LocalEvent | undefined
}

export function newNumbering(): Numbering {
  let last = 0
  let skipped = 0
  return {
    get skipped() {
      return skipped
    },
    get last() {
      return last
    },
    take({ n, event }) {
      if (n <= last) return undefined
      // What was over before the page was opened is not missed.
      if (last > 0) skipped += n - last - 1
      last = n
      return event ?? undefined
    },
  }
}

/** The lines of a stream of text, parsed as JSON. A last line without an end was cut off, and is left out. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield JSON.parse(line) as unknown
    }
  } finally {
    reader.releaseLock()
  }
}
