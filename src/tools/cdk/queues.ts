import { ArnFormat, Duration, Names, RemovalPolicy, Stack, Token } from 'aws-cdk-lib'
import {
  type CfnQueue,
  type IQueue,
  Queue,
  QueueEncryption,
  type QueueProps,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { DEAD_LETTER_RETENTION, refuseConstruct } from './queueChecks.ts'

/** The queue of a consumer. */
export interface LineclearQueueProps {
  /**
   * A queue that is there already, in place of a new one: with a dead-letter queue, and a visibility timeout of six times the
   * timeout of the function. Default: a new one.
   */
  readonly queue?: IQueue
  /** The dead-letter queue of an imported `queue`: `fromQueueArn` does not know it. */
  readonly deadLetterQueue?: IQueue
  /** Name of the new queue. Default: made of the stack's name and the construct's path. */
  readonly queueName?: string
  /** Whether the new queue, and its dead-letter queue, are FIFO. Default `false`. */
  readonly fifo?: boolean
  /** Default: six times `timeout`, plus `maxBatchingWindow`, which is also the least. */
  readonly visibilityTimeout?: Duration
  /**
   * After how many receives SQS itself moves a message to the dead-letter queue: the safety net for messages that kill their
   * function. Deferrals count too, so the least is 10, and 4 above the handler's `maxAttempts`; a handler with `circuitBreaker` needs 25.
   * Default 10.
   */
  readonly maxReceiveCount?: number
  /** Any other property of the new queue, such as `encryptionMasterKey`. Default: none. */
  readonly queueProps?: Omit<QueueProps, OwnOfQueue>
  /** Any other property of the new dead-letter queue. Default: none. */
  readonly deadLetterQueueProps?: Omit<QueueProps, OwnOfDeadLetters>
}

type OwnOfQueue = 'queueName' | 'fifo' | 'visibilityTimeout' | 'deadLetterQueue'
type OwnOfDeadLetters = OwnOfQueue | 'retentionPeriod' | 'redriveAllowPolicy'

interface Queues {
  readonly queue: IQueue
  readonly deadLetterQueue: IQueue
}

/** Deferrals and delays by visibility also count as receives, although Lineclear does not count them as attempts. */
const LEAST_RECEIVES = 10
const SOURCE_RETENTION = Duration.days(4)
/** What SQS takes where nothing is set. */
const SQS_VISIBILITY_SECONDS = 30

/** @param leastVisibility in seconds: six times the function's timeout, plus the batching window */
export function queuesOf(
  scope: Construct,
  props: LineclearQueueProps,
  leastVisibility: number,
): Queues {
  const { maxReceiveCount = LEAST_RECEIVES } = props
  checkReceives(scope, 'maxReceiveCount', maxReceiveCount)
  return props.queue === undefined
    ? newQueues(scope, props, leastVisibility, maxReceiveCount)
    : givenQueues(scope, props, props.queue, leastVisibility)
}

function newQueues(
  scope: Construct,
  props: LineclearQueueProps,
  leastVisibility: number,
  maxReceiveCount: number,
): Queues {
  const { fifo = false, deadLetterQueueProps, queueProps } = props
  if (props.deadLetterQueue !== undefined) {
    refuseConstruct(
      scope,
      'deadLetterQueue: expected nothing without queue, because a new queue gets a new one; got a queue',
    )
  }
  const visibility = props.visibilityTimeout ?? Duration.seconds(leastVisibility)
  checkVisibility(scope, visibility.toSeconds(), leastVisibility)
  const retention = queueProps?.retentionPeriod ?? SOURCE_RETENTION
  checkRetention(scope, retention, visibility.toSeconds() * maxReceiveCount)
  const { queueName = nameOf(scope, fifo) } = props
  const deadLetterQueue = new Queue(scope, 'DeadLetters', {
    ...safe(deadLetterQueueProps),
    ...deadLetterQueueProps,
    ...fifoOf(fifo),
    retentionPeriod: DEAD_LETTER_RETENTION,
    redriveAllowPolicy: {
      redrivePermission: RedrivePermission.BY_QUEUE,
      sourceQueues: [byName(scope, queueName)],
    },
  })
  const queue = new Queue(scope, 'Queue', {
    ...safe(queueProps),
    retentionPeriod: retention,
    ...queueProps,
    ...fifoOf(fifo),
    queueName,
    visibilityTimeout: visibility,
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount },
  })
  return { queue, deadLetterQueue }
}

/** Messages outlive the stack, and a queue that is replaced. They are encrypted, on the wire too. */
export function safe(props: Pick<QueueProps, 'encryptionMasterKey'> = {}): QueueProps {
  const { encryptionMasterKey: key } = props
  return {
    enforceSSL: true,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...(key === undefined && { encryption: QueueEncryption.SQS_MANAGED }),
  }
}

/** `fifo: false` is not accepted by CloudFormation. */
export function fifoOf(fifo: boolean): { readonly fifo?: true } {
  return fifo ? { fifo } : {}
}

/** Its own name, and not one that CloudFormation makes: the queue and its dead-letter queue name each other, in a circle otherwise. */
function nameOf(scope: Construct, fifo: boolean): string {
  const name = Names.uniqueResourceName(scope, {
    maxLength: 75,
    separator: '-',
    allowedSpecialCharacters: '-_',
  })
  return fifo ? `${name}.fifo` : name
}

function byName(scope: Construct, name: string): IQueue {
  const arn = Stack.of(scope).formatArn({
    service: 'sqs',
    resource: name,
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  })
  return Queue.fromQueueArn(scope, 'Source', arn)
}

function givenQueues(
  scope: Construct,
  props: LineclearQueueProps,
  queue: IQueue,
  leastVisibility: number,
): Queues {
  for (const name of OF_NEW_QUEUE) {
    if (props[name] !== undefined) {
      refuseConstruct(
        scope,
        `${name}: expected nothing beside queue; got a value: set it where the queue is made`,
      )
    }
  }
  const own = queue instanceof Queue ? queue : undefined
  const deadLetterQueue = own?.deadLetterQueue?.queue ?? props.deadLetterQueue
  if (deadLetterQueue === undefined) {
    refuseConstruct(
      scope,
      own === undefined
        ? 'queue: expected its deadLetterQueue beside an imported queue; got none: rejected records would have nowhere to go'
        : `queue: expected a queue with a deadLetterQueue; got ${own.node.path} without one: rejected records would have nowhere to go`,
    )
  }
  if (deadLetterQueue.fifo !== queue.fifo) {
    refuseConstruct(
      scope,
      `deadLetterQueue: expected a ${kindOf(queue)} queue, as queue is one; got a ${kindOf(deadLetterQueue)} queue`,
    )
  }
  if (own !== undefined) checkOwn(scope, own, leastVisibility)
  return { queue, deadLetterQueue }
}

/** Properties with which a queue is made. */
export const OF_NEW_QUEUE = [
  'queueName',
  'fifo',
  'visibilityTimeout',
  'maxReceiveCount',
  'queueProps',
  'deadLetterQueueProps',
] as const

function kindOf({ fifo }: IQueue): string {
  return fifo ? 'FIFO' : 'standard'
}

function checkOwn(scope: Construct, queue: Queue, leastVisibility: number): void {
  const { visibilityTimeout } = queue.node.defaultChild as CfnQueue
  checkVisibility(scope, visibilityTimeout ?? SQS_VISIBILITY_SECONDS, leastVisibility)
  const { maxReceiveCount } = queue.deadLetterQueue ?? {}
  if (maxReceiveCount !== undefined) {
    checkReceives(scope, 'queue: its maxReceiveCount', maxReceiveCount)
  }
}

/** @param least six times the function's timeout, plus the batching window. In seconds. */
function checkVisibility(scope: Construct, seconds: number, least: number): void {
  if (Token.isUnresolved(seconds) || seconds >= least) return
  refuseConstruct(
    scope,
    `visibilityTimeout: expected ${least} s or more, six times the timeout of the function plus the batching window; got ${seconds} s: ` +
      'what Lambda holds while it is throttled would be delivered again while an attempt runs',
  )
}

function checkReceives(scope: Construct, property: string, count: number): void {
  if (Token.isUnresolved(count) || (Number.isInteger(count) && count >= LEAST_RECEIVES)) return
  refuseConstruct(
    scope,
    `${property}: expected ${LEAST_RECEIVES} or more, because deferrals count as receives; got ${count}`,
  )
}

function checkRetention(scope: Construct, retention: Duration, needed: number): void {
  const seconds = retention.toSeconds()
  if (seconds > needed && seconds < DEAD_LETTER_RETENTION.toSeconds()) return
  refuseConstruct(
    scope,
    `queueProps.retentionPeriod: expected more than ${needed} s, the time of all receives, and less than the 14 days of the dead-letter queue; got ${seconds} s: ` +
      'failing messages would expire before an operator has seen them',
  )
}
