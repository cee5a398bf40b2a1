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

/** Counts by name and second, for a short time. */
export interface Rates {
  /** @param at epoch milliseconds */
  add(name: string, at: number, count: number): void
  /** A second, over the last ten seconds. */
  perSecond(name: string, now: number): number
  /** All names together, one number for each of the last `seconds`, oldest first. */
  last(seconds: number, now: number): readonly number[]
  clear(): void
}

const AVERAGED_OVER = 10
const KEPT = 120

export function newRates(): Rates {
  /** By name, then by second. */
  const counts = new Map<string, Map<number, number>>()
  return {
    add(name, at, count) {
      const second = Math.floor(at / 1_000)
      const of = counts.get(name) ?? new Map<number, number>()
      counts.set(name, of)
      of.set(second, (of.get(second) ?? 0) + count)
      for (const old of of.keys()) if (old <= second - KEPT) of.delete(old)
    },
    perSecond(name, now) {
      const second = Math.floor(now / 1_000)
      return sum(counts.get(name), second - AVERAGED_OVER + 1, second) / AVERAGED_OVER
    },
    last(seconds, now) {
      const end = Math.floor(now / 1_000)
      return Array.from({ length: seconds }, (_, index) => {
        const second = end - seconds + 1 + index
        return [...counts.values()].reduce((all, of) => all + (of.get(second) ?? 0), 0)
      })
    },
    clear: () => counts.clear(),
  }
}

function sum(of: ReadonlyMap<number, number> | undefined, from: number, to: number): number {
  let all = 0
  for (const [second, count] of of ?? []) if (second >= from && second <= to) all += count
  return all
}
