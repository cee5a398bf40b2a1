import type { Depth } from '../engines/queueContents.ts'
import type { Listening } from './publish.ts'

/** The engine tells nothing when a message becomes visible again, so the queues are looked at so often. Milliseconds. */
const EVERY_MS = 100

/**
 * Publishes the depth of each queue that has changed since it was looked at last; the first time of each that is not empty.
 * Without a listener no queue is looked at.
 * @returns a function that stops it
 */
export function watchDepths(
  queues: readonly string[],
  depthOf: (queue: string) => Depth,
  listening: Listening,
): () => void {
  const known = new Map<string, string>()
  const timer = setInterval(() => {
    const emit = listening()
    if (emit === undefined) return known.clear()
    for (const queue of queues) {
      const { ready, inFlight, delayed } = depthOf(queue)
      const now = `${ready} ${inFlight} ${delayed}`
      if (now === (known.get(queue) ?? NOTHING)) continue
      known.set(queue, now)
      emit({ type: 'depth', at: Date.now(), queue, ready, inFlight, delayed })
    }
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}

const NOTHING = '0 0 0'
