import type { LocalEvent } from '../../../../testing/local/observe/event.ts'
import { sendOf } from './sendOf.ts'

/**
 * What becomes of messages, each time that a function gets them:
 * - `done`: they left their queue, duplicates among them
 * - `duplicates`: dropped because their request was done or dead. Only a log line of level INFO or WARN tells
 * - `again`: they were given to a function before
 * - `retries`: they stay on their queue, or a copy was sent to be tried later
 * - `dead`: their function sent them to a dead-letter queue. What SQS moves there by itself is in no event
 */
export type Tallied = 'done' | 'duplicates' | 'again' | 'retries' | 'dead'

/** Counts over the last minutes. */
export interface Tally {
  take(event: LocalEvent): void
  /** One number for each half minute of the time, the oldest first. */
  last(of: Tallied, now: number): readonly number[]
  /** Of the first event since it was cleared, epoch milliseconds. */
  readonly since: number | undefined
  clear(): void
}

export const MINUTES = 15
const PARTS = 30
const PART_MS = (MINUTES * 60_000) / PARTS
/** Invocations that end without a word would be kept for ever. */
const MOST_RUNNING = 1_000

export function newTally(): Tally {
  const counts = new Map<Tallied, Map<number, number>>()
  /** By the id of the invocation: messages whose fate is not known yet. */
  const open = new Map<string, number>()
  let since: number | undefined

  function add(of: Tallied, at: number, count: number): void {
    if (count <= 0) return
    const part = Math.floor(at / PART_MS)
    const parts = counts.get(of) ?? new Map<number, number>()
    counts.set(of, parts)
    parts.set(part, (parts.get(part) ?? 0) + count)
    for (const old of parts.keys()) if (old <= part - PARTS) parts.delete(old)
  }

  /** A copy or a dead letter takes the place of a message, which then leaves its queue. */
  function replace(of: Tallied, id: string, at: number, count: number): void {
    add(of, at, count)
    const left = open.get(id)
    if (left !== undefined) open.set(id, left - count)
  }

  return {
    get since() {
      return since
    },
    take(event) {
      // The start of a cloud or a mapping that was up before is older than what is counted.
      if (event.type !== 'cloud' && event.type !== 'mapping') since ??= event.at
      if (event.type === 'begun') {
        const { awsRequestId, messages, at } = event
        open.set(awsRequestId, messages.length)
        const [oldest = ''] = open.size > MOST_RUNNING ? open.keys() : []
        open.delete(oldest)
        add('again', at, messages.filter(({ receiveCount }) => receiveCount > 1).length)
      } else if (event.type === 'ended') {
        const { awsRequestId, failures, at } = event
        add('retries', at, failures.length)
        add('done', at, (open.get(awsRequestId) ?? 0) - failures.length)
        open.delete(awsRequestId)
      } else if (event.type === 'log') {
        if (DUPLICATE.test(event.message)) add('duplicates', event.at, 1)
      } else if (event.type === 'call' && sendOf(event) !== undefined) {
        const { words, at, awsRequestId } = event
        const { what, many = 1 } = SENT.exec(words)?.groups ?? {}
        if (what === 'dead letter') replace('dead', awsRequestId, at, Number(many))
        else if (what === 'retry') replace('retries', awsRequestId, at, Number(many))
      }
    },
    last(of, now) {
      const end = Math.floor(now / PART_MS)
      const parts = counts.get(of)
      return Array.from({ length: PARTS }, (_, at) => parts?.get(end - PARTS + 1 + at) ?? 0)
    },
    clear() {
      counts.clear()
      open.clear()
      since = undefined
    },
  }
}

/** As `recordHandler` and `flow` log what they drop. */
const DUPLICATE = /^dropped: a duplicate of /

/** As the local cloud describes its calls: `sends a retry 3 messages to invoices`. */
const SENT = /^sends a (?<what>dead letter|retry) (?:(?<many>\d+) messages )?to /
