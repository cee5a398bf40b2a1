import type { IncomingRecord } from './incomingRecord.ts'

/** Records of one queue run one after the other: of each queue one is on its way, and the others wait, read already. */
export interface SerialQueues {
  /** True: it is the first of its queue. False: it waits. */
  enter(incoming: IncomingRecord): boolean
  /** The next of each queue that has one. */
  next(): readonly IncomingRecord[]
}

export function openSerialQueues(lineOf: (incoming: IncomingRecord) => string): SerialQueues {
  const queues = new Map<string, { waiting: IncomingRecord[]; done: number }>()
  return {
    enter(incoming) {
      const name = lineOf(incoming)
      const queue = queues.get(name)
      if (queue === undefined) queues.set(name, { waiting: [], done: 0 })
      else queue.waiting.push(incoming)
      return queue === undefined
    },
    next() {
      const due: IncomingRecord[] = []
      for (const [name, queue] of queues) {
        const incoming = queue.waiting[queue.done]
        queue.done += 1
        if (incoming === undefined) queues.delete(name)
        else due.push(incoming)
      }
      return due
    },
  }
}
