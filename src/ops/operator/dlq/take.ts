import type { SQSRecord } from 'aws-lambda'
import type { Messenger, SendOutcome } from '../../../queue/messenger.ts'
import type { QueueReader } from '../../../queue/queueReader.ts'
import { type Letter, readLetter } from './deadLetter.ts'

/** Letters on their way past: each comes once, and what was not removed is handed back at the end. */
export interface Letters {
  /** Ends when the queue gives no new ones. Whoever stops early has to end the iteration (`break`, `return`). */
  pages(): AsyncGenerator<readonly Letter[]>
  remove(letters: readonly Letter[]): Promise<readonly SendOutcome[]>
  /** There were more than may be held at once. */
  hasMore(): boolean
}

export interface Taking {
  readonly messenger: Messenger
  /** Epoch milliseconds, by the clock of the queue. */
  readonly now: number
  readonly pageSize: number
  /** Receives at the same time. */
  readonly lanes: number
  readonly most: number
  readonly hiddenSeconds: number
  readonly signal: AbortSignal | undefined
}

/**
 * What has been looked at stays hidden, or it would come again and again. Long work outlasts that: what comes once more is
 * known by its message id, and is held again.
 */
export function takeLetters(queue: QueueReader, taking: Taking): Letters {
  const seen = new Set<string>()
  const removed = new Set<string>()
  const held = new Map<string, string>()
  let more = false

  function isNew(messageId: string): boolean {
    if (seen.has(messageId)) return false
    seen.add(messageId)
    return true
  }

  async function takePage(): Promise<readonly SQSRecord[]> {
    const { lanes, pageSize, hiddenSeconds } = taking
    const lane = (): Promise<readonly SQSRecord[]> => queue.receive(pageSize, hiddenSeconds)
    const records = (await Promise.all(Array.from({ length: lanes }, lane))).flat()
    for (const { messageId, receiptHandle } of records) held.set(messageId, receiptHandle)
    return records
  }

  async function remove(letters: readonly Letter[]): Promise<readonly SendOutcome[]> {
    const ids = letters.map(({ record }) => record.messageId)
    const outcomes = await taking.messenger.remove(
      queue.url,
      letters.map(({ record }) => held.get(record.messageId) ?? record.receiptHandle),
    )
    for (const [index, id] of ids.entries()) {
      removed.add(id)
      if (outcomes[index] === undefined) held.delete(id)
    }
    return outcomes
  }

  async function* pages(): AsyncGenerator<readonly Letter[]> {
    try {
      let [empty, known] = [0, 0]
      while (!isThrough(empty, known, seen.size) && !isAborted(taking.signal)) {
        if (held.size >= taking.most) {
          more = true
          return
        }
        const records = await takePage()
        const fresh = records.filter(({ messageId }) => isNew(messageId))
        await removeAgain(records)
        empty = records.length === 0 ? empty + 1 : 0
        known = fresh.length === 0 ? known + records.length : 0
        if (fresh.length > 0) yield fresh.map((record) => readLetter(record, taking.now))
      }
    } finally {
      await handBack(queue.url, [...held.values()], taking.messenger)
    }
  }

  /**
   * A poll that finds nothing has asked every server; when SQS counts more than were seen, one more is worth its second. Before
   * a new one, all that are known may come once more.
   */
  function isThrough(empty: number, known: number, all: number): boolean {
    return empty >= (all >= queue.visible ? 1 : 2) || known > all
  }

  /** Its removal was not heeded: on a standard queue also one that SQS has accepted. */
  async function removeAgain(records: readonly SQSRecord[]): Promise<void> {
    const back = records.filter(({ messageId }) => removed.has(messageId))
    if (back.length > 0) await remove(back.map((record) => readLetter(record, taking.now)))
  }

  return { pages, remove, hasMore: () => more }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}

const AT_ONCE = 100

/** A receipt that has run out is refused: that letter is visible already. */
async function handBack(
  url: string,
  receipts: readonly string[],
  messenger: Messenger,
): Promise<void> {
  for (let start = 0; start < receipts.length; start += AT_ONCE) {
    const chunk = receipts.slice(start, start + AT_ONCE)
    await messenger.hide(
      url,
      chunk.map((receiptHandle) => ({ receiptHandle, seconds: 0 })),
    )
  }
}
