import { LEASE_MARGIN_MS, MAX_LAMBDA_MS, timeLeft } from '../claim/lease.ts'
import type { Context } from 'aws-lambda'
import type { Update, WriteOutcome } from '../store/store.ts'
import { openTally, type Tally } from '../metrics/tally.ts'
import type { QueueMessage, SendOutcome } from '../queue/messenger.ts'
import { checkedArn, isFifo } from '../queue/queueUrl.ts'
import { sortableId } from '../sortableId.ts'
import { coalesce } from '../store/coalesce.ts'
import type { Consumer } from './consumer.ts'
import type { Mapping } from './mapping.ts'

/** What the records of one invocation share. Nothing of it outlives the invocation, but `mapping`. */
export interface Invocation {
  readonly consumer: Consumer
  readonly lambda: Context
  /** Names one execution; no two of an invocation are the same, also not of one request. */
  nextAttemptId(): string
  /** URL of the source queue, or its ARN when the options name none. */
  readonly queue: string
  readonly fifo: boolean
  /** Of the source queue. */
  readonly mapping: Mapping
  /** A claim taken now outlives this sandbox: no heartbeat is needed. Epoch milliseconds. */
  readonly leaseUntil: number
  /** When its time is up, less the reserve, epoch milliseconds. undefined: unknown. */
  readonly deadline: number | undefined
  readonly signal: AbortSignal
  /** How long a handler may take to heed the signal, milliseconds. */
  readonly gracePeriod: number
  remainingTime(): number
  /** Fenced writes, gathered. */
  commit(update: Update): Promise<WriteOutcome>
  resend(message: QueueMessage): Promise<SendOutcome>
  /** Handlers that run now: their writes are worth waiting for. */
  runningHandlers: number
  /** The longest that a claim has taken in this invocation, milliseconds. */
  slowestClaim: number
  /** When what the one before it has claimed was begun. */
  oneClaimAtATime<T>(claim: () => Promise<T>): Promise<T>
  /** Gathered only when somebody wants it. */
  readonly tally: Tally | undefined
  close(): void
}

/** The reserve of a function with a short timeout is a fifth of it, so that most of its time is for work. */
const RESERVE_SHARE = 0.2

const MAX_UPDATES = 25
const MAX_MESSAGES = 10
const MAX_WAIT_MS = 5

export function openInvocation(consumer: Consumer, lambda: Context, queueArn: string): Invocation {
  const { clock, store, messenger } = consumer
  const startedAt = clock.now()
  const given = timeLeft(lambda)
  const left = given === undefined ? undefined : Math.max(given, 0)
  const reserve = left === undefined ? consumer.reserve : reserveOf(consumer, left)
  const deadline = left === undefined ? undefined : startedAt + left - reserve
  const time = new AbortController()
  const timer = abortAt(time, deadline === undefined ? undefined : deadline - startedAt)
  const queue = consumer.queueUrl ?? checkedArn(queueArn)
  const id = sortableId(startedAt)
  let attempts = 0
  const expectsMore = (): boolean => invocation.runningHandlers > 0
  const leaseUntil = startedAt + (left ?? MAX_LAMBDA_MS) + LEASE_MARGIN_MS
  const invocation: Invocation = {
    consumer,
    lambda,
    nextAttemptId: () => `${id}.${(attempts += 1)}`,
    queue,
    fifo: isFifo(queueArn),
    mapping: consumer.mappingOf(queueArn),
    leaseUntil,
    deadline,
    signal: time.signal,
    gracePeriod: reserve / 2,
    remainingTime: () =>
      deadline === undefined ? MAX_LAMBDA_MS : Math.max(deadline - clock.now(), 0),
    commit: coalesce((updates) => store.update(updates), {
      maxEntries: MAX_UPDATES,
      maxWait: MAX_WAIT_MS,
      expectsMore,
    }),
    resend: coalesce((messages) => messenger.send(queue, messages), {
      maxEntries: MAX_MESSAGES,
      maxWait: MAX_WAIT_MS,
      expectsMore,
    }),
    runningHandlers: 0,
    slowestClaim: 0,
    oneClaimAtATime: openClaimQueue(),
    tally: consumer.metrics === undefined ? undefined : openTally(),
    close: () => clearTimeout(timer),
  }
  return invocation
}

/** A handler begins in the turn of the event loop in which its claim is answered: the next claim waits for the turn after. */
function openClaimQueue(): Invocation['oneClaimAtATime'] {
  let last: Promise<unknown> = Promise.resolve()
  return (claim) => {
    const mine = last.then(() => new Promise(setImmediate)).then(claim)
    last = mine.catch(() => {})
    return mine
  }
}

function reserveOf(consumer: Consumer, left: number): number {
  return Math.min(consumer.reserve, left * RESERVE_SHARE)
}

function abortAt(
  time: AbortController,
  milliseconds: number | undefined,
): NodeJS.Timeout | undefined {
  if (milliseconds === undefined) return undefined
  const abort = (): void => time.abort(new Error('the time of the invocation is nearly up'))
  if (milliseconds <= 0) {
    abort()
    return undefined
  }
  return setTimeout(abort, milliseconds).unref()
}
