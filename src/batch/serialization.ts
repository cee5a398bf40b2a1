import type { IncomingRecord } from './incomingRecord.ts'

/** Records with the same key run one after the other. The first one runs; the others have been read and wait in a queue. */
export interface SerialQueues {
  /** True: it is the first record with its key. False: it waits. */
  enter(incoming: IncomingRecord): boolean
  /** The next waiting record of each key. */
  next(): readonly IncomingRecord[]
}

export function openSerialQueues(keyOf: (incoming: IncomingRecord) => string): SerialQueues {
  const queues = new Map<string, { waiting: IncomingRecord[]; done: number }>()
  return {
    enter(incoming) {
      const key = keyOf(incoming)
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, { waiting: [], done: 0 })
      else queue.waiting.push(incoming)
      return queue === undefined
    },
    next() {
      const due: IncomingRecord[] = []
      for (const [key, queue] of queues) {
        const incoming = queue.waiting[queue.done]
        queue.done += 1
        if (incoming === undefined) queues.delete(key)
        else due.push(incoming)
      }
      return due
    },
  }
}
