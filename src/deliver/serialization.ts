import type { SQSRecord } from 'aws-lambda'
import { type IncomingRecord, sqsRecordOf, type UnclaimedRecord } from './incomingRecord.ts'

/**
 * Records with the same key run one after the other. The first one runs; the others have been read and wait in a queue, without
 * their payloads if those are not in the messages.
 */
export interface SerialQueues {
  /** True: it is the first record with its key. False: it waits. */
  enter(incoming: IncomingRecord): boolean
  /** The next waiting record of each key. */
  next(): readonly UnclaimedRecord[]
}

export function openSerialQueues(
  keyOf: (incoming: IncomingRecord) => string,
  keep: (incoming: IncomingRecord) => UnclaimedRecord,
): SerialQueues {
  const queues = new Map<string, { waiting: UnclaimedRecord[]; done: number }>()
  const come = new Set<SQSRecord>()
  return {
    enter(incoming) {
      if (come.has(incoming.record)) return true
      const key = keyOf(incoming)
      const queue = queues.get(key)
      if (queue === undefined) queues.set(key, { waiting: [], done: 0 })
      else queue.waiting.push(keep(incoming))
      return queue === undefined
    },
    next() {
      const due: UnclaimedRecord[] = []
      for (const [key, queue] of queues) {
        const incoming = queue.waiting[queue.done]
        queue.done += 1
        if (incoming === undefined) queues.delete(key)
        else {
          come.add(sqsRecordOf(incoming))
          due.push(incoming)
        }
      }
      return due
    },
  }
}
