/** The internals of a FIFO queue in fauxqs: messages by group, and how many of each group are in flight. */
interface FifoQueue {
  readonly fifoMessages: Map<string, { readonly sequenceNumber?: string }[]>
  readonly fifoLockedGroups: Map<string, number>
  processTimers(): void
}
type Receive = (this: FifoQueue, most: number, ...rest: readonly unknown[]) => readonly object[]

/**
 * SQS returns as many messages of one group as possible in one receive, in order, and locks the group until the last of them is
 * deleted or visible (FIFO-queues-understanding-logic.html). fauxqs returns one, and reverses messages that become visible
 * together.
 */
export function receiveWholeGroups(one: Receive): Receive {
  return function (most, ...rest) {
    this.processTimers()
    for (const messages of this.fifoMessages.values()) messages.sort(bySequence)
    const lockedBefore = new Map(this.fifoLockedGroups)
    const taken = new Map<string, number>()
    const received: object[] = []
    while (received.length < most) {
      const messages = one.apply(this, [1, ...rest])
      if (messages.length === 0) break
      received.push(...messages)
      for (const [group, count] of this.fifoLockedGroups) {
        if (lockedBefore.has(group)) continue
        taken.set(group, (taken.get(group) ?? 0) + count)
        this.fifoLockedGroups.delete(group)
      }
    }
    for (const [group, count] of taken) this.fifoLockedGroups.set(group, count)
    return received
  }
}

/** fauxqs pads sequence numbers to one length, so they compare as text. */
function bySequence(
  { sequenceNumber: one = '' }: { readonly sequenceNumber?: string },
  { sequenceNumber: other = '' }: { readonly sequenceNumber?: string },
): number {
  return one < other ? -1 : Number(one > other)
}
