import type { LocalEvent } from '../../../../testing/local/observe/event.ts'

/** A line of `GET /api/events`. `n` counts all events of the server from 1. `skipped`: so many were left out here. */
export type Frame =
  | { readonly n: number; readonly event: LocalEvent }
  | { readonly skipped: number }

/** Sees to it that each event is taken once, and that those that did not come are counted. */
interface Numbering {
  /** Events that did not come. */
  readonly skipped: number
  /** @returns undefined: the event came before, or it is no event */
  take(frame: Frame): LocalEvent | undefined
}

export function newNumbering(): Numbering {
  let last: number | undefined
  let skipped = 0
  let isTold = false
  return {
    get skipped() {
      return skipped
    },
    take(frame) {
      if ('skipped' in frame) {
        skipped += frame.skipped
        isTold = true
        return undefined
      }
      const { n, event } = frame
      // After a reconnection the server begins with what it has kept.
      if (last !== undefined && n <= last) return undefined
      if (last !== undefined && !isTold) skipped += n - last - 1
      last = n
      isTold = false
      return event
    },
  }
}
