import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { SqsSubscription, type SubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions'
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { DEAD_LETTER_RETENTION } from './queueChecks.ts'
import { fifoOf, safe } from './queues.ts'
import { refuse } from './refuse.ts'

/** A topic that a consumer is subscribed to, with other settings than the default. */
export interface LineclearSubscription extends Omit<SubscriptionProps, 'deadLetterQueue'> {
  readonly topic: ITopic
  /**
   * Whether SNS delivers the bare message. Default `false`: the wrapping holds the SNS message id, which is the identity of the
   * request, and more than 10 attributes. With `true` send by `producer()`, which stamps an identity.
   */
  readonly rawMessageDelivery?: boolean
}

/**
 * Subscribes the queue to each topic. What SNS cannot deliver goes to a queue of its own: on the dead-letter queue it could not be
 * told apart from failed records, nor be redriven.
 * @returns the queues of undelivered notifications, by id: of the kind of the topic, as SNS demands
 */
export function subscribe(
  scope: Construct,
  queue: IQueue,
  topics: readonly (ITopic | LineclearSubscription)[],
): Readonly<Record<string, Queue>> {
  const undelivered: Record<string, Queue> = {}
  for (const each of topics) {
    const { topic, ...options } = 'topic' in each ? each : { topic: each }
    checkKind(scope, topic, queue)
    const id = topic.fifo ? 'UndeliveredFifo' : 'Undelivered'
    const deadLetterQueue = (undelivered[id] ??= undeliveredQueue(scope, id, topic.fifo))
    const subscription = topic.addSubscription(
      new SqsSubscription(queue, { rawMessageDelivery: false, ...options, deadLetterQueue }),
    )
    // Before its policy is there, what SNS could not deliver would be lost.
    subscription.node.addDependency(deadLetterQueue.node.findChild('Policy'))
  }
  return undelivered
}

function undeliveredQueue(scope: Construct, id: string, fifo: boolean): Queue {
  return new Queue(scope, id, {
    ...safe(),
    ...fifoOf(fifo),
    retentionPeriod: DEAD_LETTER_RETENTION,
  })
}

function checkKind(scope: Construct, topic: ITopic, queue: IQueue): void {
  if (!queue.fifo || topic.fifo) return
  refuse(
    scope,
    'topics',
    `expected FIFO topics, because the queue is FIFO; got the standard topic ${topic.node.path}: SNS refuses the subscription`,
  )
}
