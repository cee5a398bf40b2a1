import type { SQSRecord } from 'aws-lambda'
import type { Messenger, SendOutcome } from '../../../library/protocol/send/messenger.ts'
import type { QueueReader } from '../aws/queues.ts'
import { type DeadLetter, readDeadLetter } from './deadLetter.ts'

/** A pass over the dead letters of a queue. Each is yielded once; those that were not removed become visible again at the end. */
export interface DeadLetterPages {
  /**
   * Ends when the queue returns no new ones. To stop early, end the iteration (`break`, `return`).
   * @param atEnd when no new ones are left, before the others become visible again
   */
  pages(atEnd?: () => Promise<void>): AsyncGenerator<readonly DeadLetter[]>
  /** Receives once, ahead of the iteration, which yields them later. @returns the new ones */
  lookAhead(): Promise<readonly DeadLetter[]>
  remove(deadLetters: readonly DeadLetter[]): Promise<readonly SendOutcome[]>
  hasMore(): boolean
}

interface ReceiveOptions {
  readonly messenger: Messenger
  /** The time on the queue's clock, epoch milliseconds. */
  readonly now: number
  readonly pageSize: () => number
  readonly receivers: number
  readonly most: number
  readonly hiddenSeconds: number
  readonly signal: AbortSignal | undefined
}

const PAGE = 10
/** Even a slow redrive deals with these before their visibility timeout ends. */
const MOST_AHEAD = 20

/**
 * Dead letters that have been looked at stay hidden, or the queue would return them again and again. A long run outlasts the
 * visibility timeout: a dead letter that is received a second time is recognised by its message id, and is held again.
 */
export function receiveDeadLetters(queue: QueueReader, taking: ReceiveOptions): DeadLetterPages {
  const seen = new Set<string>()
  const removed = new Set<string>()
  const held = new Map<string, string>()
  const ahead: DeadLetter[] = []
  let more = false

  function isNew(messageId: string): boolean {
    if (seen.has(messageId)) return false
    seen.add(messageId)
    return true
  }

  async function takePage(): Promise<readonly SQSRecord[]> {
    const { receivers, pageSize, hiddenSeconds } = taking
    const receiver = (): Promise<readonly SQSRecord[]> => queue.receive(pageSize(), hiddenSeconds)
    return hold((await Promise.all(Array.from({ length: receivers }, receiver))).flat())
  }

  async function hold(records: readonly SQSRecord[]): Promise<readonly SQSRecord[]> {
    for (const { messageId, receiptHandle } of records) held.set(messageId, receiptHandle)
    await removeAgain(records)
    return records
  }

  function read(record: SQSRecord): DeadLetter {
    return readDeadLetter(record, taking.now)
  }

  async function remove(deadLetters: readonly DeadLetter[]): Promise<readonly SendOutcome[]> {
    const ids = deadLetters.map(({ record }) => record.messageId)
    const outcomes = await taking.messenger.remove(
      queue.url,
      deadLetters.map(({ record }) => held.get(record.messageId) ?? record.receiptHandle),
    )
    for (const [index, id] of ids.entries()) {
      removed.add(id)
      if (outcomes[index] === undefined) held.delete(id)
    }
    return outcomes
  }

  async function lookAhead(): Promise<readonly DeadLetter[]> {
    if (ahead.length >= MOST_AHEAD || held.size >= taking.most) return []
    const records = await hold(await queue.receive(PAGE, taking.hiddenSeconds))
    const fresh = records.filter(({ messageId }) => isNew(messageId)).map(read)
    ahead.push(...fresh)
    return fresh
  }

  async function* pages(
    atEnd = async (): Promise<void> => {},
  ): ReturnType<DeadLetterPages['pages']> {
    try {
      yield* newPages()
      await atEnd()
    } finally {
      await returnHeld(queue.url, [...held.values()], taking.messenger)
    }
  }

  async function* newPages(): AsyncGenerator<readonly DeadLetter[]> {
    let [empty, known] = [0, 0]
    while (taking.signal?.aborted !== true) {
      if (ahead.length > 0) {
        yield ahead.splice(0, taking.pageSize())
        continue
      }
      if (isThrough(empty, known, seen.size)) return
      if (held.size >= taking.most) {
        more = true
        return
      }
      const records = await takePage()
      const fresh = records.filter(({ messageId }) => isNew(messageId))
      empty = records.length === 0 ? empty + 1 : 0
      known = fresh.length === 0 ? known + records.length : 0
      if (fresh.length > 0) yield fresh.map(read)
    }
  }

  /**
   * A long poll that finds nothing has asked every server. If SQS counts more messages than were seen, one more poll is worth a
   * second. Before a new message arrives, all known ones may be received again.
   */
  function isThrough(empty: number, known: number, all: number): boolean {
    return empty >= (all >= queue.visible ? 1 : 2) || known > all
  }

  /**
   * Removes messages again that were received although they had been removed: a standard queue may redeliver even after it has
   * accepted the delete.
   */
  async function removeAgain(records: readonly SQSRecord[]): Promise<void> {
    const back = records.filter(({ messageId }) => removed.has(messageId))
    if (back.length > 0) await remove(back.map(read))
  }

  return { pages, lookAhead, remove, hasMore: () => more }
}

const RETURNED_TOGETHER = 100

/** SQS refuses an expired receipt handle, but then the dead letter is visible already. */
async function returnHeld(
  url: string,
  receipts: readonly string[],
  messenger: Messenger,
): Promise<void> {
  for (let start = 0; start < receipts.length; start += RETURNED_TOGETHER) {
    const chunk = receipts.slice(start, start + RETURNED_TOGETHER)
    await messenger.hide(
      url,
      chunk.map((receiptHandle) => ({ receiptHandle, seconds: 0 })),
    )
  }
}
