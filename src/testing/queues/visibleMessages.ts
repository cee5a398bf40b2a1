import type { SimulatedMessage, SimulatedQueue } from './simulatedQueue.ts'

/** When a message can be received. A FIFO queue delivers none of a group while one of its messages is in flight. */
function readyAt({ isFifo, messages }: SimulatedQueue, queued: SimulatedMessage): number {
  if (!isFifo) return queued.visibleAt
  const { groupId } = queued.message
  const ofGroup = messages.filter(({ message }) => message.groupId === groupId)
  return Math.max(...ofGroup.map(({ visibleAt }) => visibleAt))
}

/** When the next message becomes visible; Infinity when the queue is empty. */
export function nextVisibleAt(queue: SimulatedQueue): number {
  return Math.min(...queue.messages.map((queued) => readyAt(queue, queued)))
}

/** The batches that Lambda may make of the visible messages: each message alone if `most` is 1, else one batch. */
export function visibleBatches(
  queue: SimulatedQueue,
  time: number,
  most: number,
): SimulatedMessage[][] {
  const due = queue.messages.filter((queued) => readyAt(queue, queued) <= time)
  if (most > 1) return due.length === 0 ? [] : [due.slice(0, most)]
  const groups = new Set<string | undefined>()
  const heads = due.filter(
    ({ message: { groupId } }) => !groups.has(groupId) && groups.add(groupId),
  )
  return (queue.isFifo ? heads : due).map((queued) => [queued])
}

/** Messages in flight that a standard queue may deliver a second time: each alone, or all together. */
export function inFlightBatches(
  queue: SimulatedQueue,
  now: number,
  most: number,
): SimulatedMessage[][] {
  if (queue.isFifo) return []
  const held = queue.messages.filter(({ receives, visibleAt }) => receives > 0 && visibleAt > now)
  const alone = held.map((queued) => [queued])
  return most > 1 && held.length > 1 ? [held.slice(0, most), ...alone] : alone
}
