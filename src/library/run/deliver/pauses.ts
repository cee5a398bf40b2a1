import { MAX_DELAY_MS } from '../../protocol/send/retry.ts'

export const MIN_PAUSE_MS = 1_000
/** The next pause is this share of the time that the message has waited already. */
const PAUSE_SHARE = 0.5
/** A stage that waits for the sending stage to settle pauses longer each time, by this factor. */
const GROWTH = 1.5

/** A message that a stage has sent waits for that stage only, however old its run is, so its pauses begin short. */
export function pauseForStage(asked: number): number {
  return bounded(MIN_PAUSE_MS * GROWTH ** (asked - 1))
}

/** Until a message looks again whether another request still has its key. @param waited since it was sent, milliseconds */
export function pauseForKey(waited: number): number {
  return bounded(waited * PAUSE_SHARE)
}

function bounded(pause: number): number {
  return Math.min(Math.max(pause, MIN_PAUSE_MS), MAX_DELAY_MS)
}
