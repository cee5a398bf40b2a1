import type { Context, SQSRecord } from 'aws-lambda'
import { eventLoop } from '../../base/clock.ts'
import { lambdaFields } from '../../base/handler.ts'
import { type Logger, withFields } from '../../base/logger.ts'
import { sortableId } from '../../base/sortableId.ts'
import { claimedBy } from '../../protocol/claim/token/claimedBy.ts'
import { LEASE_MARGIN_MS, MAX_LAMBDA_MS, timeLeft } from '../../protocol/claim/lease.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { Messenger, QueueMessage, SendOutcome } from '../../protocol/send/messenger.ts'
import { checkedArn, isFifo } from '../../protocol/send/queueUrl.ts'
import { coalesce } from '../../protocol/store/coalesce.ts'
import type { Update, WriteOutcome } from '../../protocol/store/store.ts'
import type { Consumer } from './consumer.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import type { Watch } from './feature.ts'

/** What the records of one invocation share. */
export interface Invocation extends Deadline {
  /** Its messenger gives up at the end of the invocation. */
  readonly consumer: Consumer
  readonly lambda: Context
  /** Puts the consumer and the Lambda request on each line. */
  readonly logger: Logger
  /** A new id for each execution, even of the same request. */
  nextAttemptId(): string
  /** URL of the source queue, or its ARN when the options name none. */
  readonly queue: string
  readonly queueArn: string
  readonly fifo: boolean
  /** When a claim taken now expires, epoch milliseconds. This is after the sandbox ends, so no heartbeat is needed. */
  readonly leaseUntil: number
  /** Records whose delivery has ended. */
  readonly settled: SettledRecord[]
  /** Makes one fenced write, in a batch with those of other records. */
  commit(update: Update): Promise<WriteOutcome>
  /** Sends one message, in a batch with those of other records to the same queue. */
  send(queue: string, message: QueueMessage): Promise<SendOutcome>
  /** Number of handlers that are running. Their writes may join a batch that waits. */
  runningHandlers: number
  /** The longest time that a claim has taken in this invocation, milliseconds. */
  slowestClaim: number
  /** Runs `claim` once the handler of the claim before it has started. */
  oneAtATime<T>(claim: () => Promise<T>): Promise<T>
  /** undefined: no feature follows it. */
  readonly watch: Watch | undefined
}

export interface SettledRecord {
  readonly record: SQSRecord
  readonly settlement: Settlement
  /**
   * Another attempt runs, perhaps of the same message: SQS may deliver a message twice, and the mapping of the other delivery
   * then deletes it.
   */
  readonly held: boolean
}

const MAX_UPDATES = 25
const MAX_MESSAGES = 10
const MAX_WAIT_MS = 5

export function openInvocation(given: Consumer, lambda: Context, queueArn: string): Invocation {
  const { clock, store } = given
  const startedAt = clock.now()
  const told = timeLeft(lambda)
  const left = told && Math.max(told, 0)
  const deadline = openDeadline(clock, left, given.timeoutMargin)
  // @protects nothing is sent that SQS leaves unanswered past the end of the invocation
  // @without its argument
  const messenger = boundMessenger(given.messenger, deadline)
  const consumer = { ...given, messenger }
  const logger = withFields(consumer.logger, { consumer: consumer.name, ...lambdaFields(lambda) })
  const id = sortableId(startedAt)
  let attempts = 0
  const expectsMore = (): boolean => invocation.runningHandlers > 0
  const together = { maxWait: MAX_WAIT_MS, expectsMore }
  // An outage sends a copy or a dead letter for each record: one call takes ten.
  const senders = new Map<string, (message: QueueMessage) => Promise<SendOutcome>>()
  const openSender = (queue: string) =>
    coalesce((messages: readonly QueueMessage[]) => messenger.send(queue, messages), {
      maxEntries: MAX_MESSAGES,
      ...together,
    })
  const invocation: Invocation = {
    ...deadline,
    consumer,
    lambda,
    logger,
    nextAttemptId: () => `${id}.${(attempts += 1)}`,
    queue: ownUrl(consumer, queueArn) ?? checkedArn(queueArn),
    queueArn,
    fifo: isFifo(queueArn),
    leaseUntil: startedAt + (left ?? MAX_LAMBDA_MS) + LEASE_MARGIN_MS,
    settled: [],
    commit: coalesce((updates: readonly Update[]) => store.update(updates), {
      maxEntries: MAX_UPDATES,
      ...together,
    }),
    send(queue, message) {
      const send = senders.get(queue) ?? openSender(queue)
      senders.set(queue, send)
      return send(message)
    },
    runningHandlers: 0,
    slowestClaim: 0,
    oneAtATime: openClaimQueue(),
    watch: consumer.features.watch?.(logger),
  }
  return invocation
}

/** The option names one queue, and the function may have the mappings of several. A record made by hand may name none. */
function ownUrl({ queueUrl }: Consumer, queueArn: string): string | undefined {
  if (!queueArn.startsWith('arn:')) return queueUrl
  // @protects a copy goes back to the queue of its record
  // @without queueUrl
  return queueUrl?.endsWith(`/${queueArn.split(':').at(-1)}`) === true ? queueUrl : undefined
}

/** A handler starts in the turn of the event loop in which its claim is answered, so the next claim waits for one more turn. */
function openClaimQueue(): Invocation['oneAtATime'] {
  let last: Promise<unknown> = Promise.resolve()
  return (claim) => {
    const mine = last.then(() => new Promise(eventLoop().setImmediate)).then(claim)
    last = mine.catch(() => {})
    return mine
  }
}

/**
 * Gives up every call that SQS or SNS leaves unanswered while the invocation can still answer: otherwise SQS would deliver the
 * finished records of its batch again, with the others. Nothing is sent once `over` has aborted; records are hidden and deleted
 * until `closed` has.
 */
function boundMessenger(messenger: Messenger, { over, closed }: Deadline): Messenger {
  return {
    send: (queue, messages) =>
      messenger.send(
        queue,
        messages,
        // @protects a handler that was given up sends nothing
        over,
      ),
    publish: (topicArn, messages) => messenger.publish(topicArn, messages, over),
    hide: (queue, messages) => messenger.hide(queue, messages, closed),
    remove: (queue, receiptHandles) => messenger.remove(queue, receiptHandles, closed),
    deadLetterQueueOf: (queue) => messenger.deadLetterQueueOf(queue, over),
    assertReached: () => messenger.assertReached?.(),
  }
}

/** Parts of a function's ARN without version or alias: a new deployment is the same consumer. */
const UNQUALIFIED = 7

/**
 * Identifies the function and its queue: two of them under one name are a mistake.
 * @returns undefined when the function is not known
 */
export function consumerNameOf({ lambda, queueArn }: Invocation): string | undefined {
  const name: unknown = lambda.invokedFunctionArn ?? lambda.functionName
  if (typeof name !== 'string') return undefined
  return claimedBy(name.split(':').slice(0, UNQUALIFIED).join(':'), queueArn)
}
