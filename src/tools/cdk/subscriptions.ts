import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { SqsSubscription, type SubscriptionProps } from 'aws-cdk-lib/aws-sns-subscriptions'
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { ArnFormat, Stack, Tags, Token } from 'aws-cdk-lib'
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam'
import { DEAD_LETTER_RETENTION, refuseConstruct } from './queueChecks.ts'
import { fifoOf, safe } from './queues.ts'

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
 * distinguished from failed records, nor be redriven.
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

/** By which operators find consumers. A tag value takes no comma: spaces separate the dependencies. */
interface ConsumerTags {
  readonly consumer?: string
  readonly flow?: string
  readonly stage?: string
  readonly dependencies?: readonly string[] | undefined
}

/** The least that AWS accepts as a tag value, and no space: it separates dependencies. */
const NAME = /^[\w.:/=+@-]{1,128}$/

/** @param others constructs outside of `scope`, such as a function that was handed in */
export function tag(scope: Construct, tags: ConsumerTags, ...others: readonly Construct[]): void {
  const { dependencies = [], ...rest } = tags
  const values = { ...rest, ...(dependencies.length > 0 && { dependency: dependencies.join(' ') }) }
  for (const name of dependencies) {
    if (!Token.isUnresolved(name) && !NAME.test(name)) {
      refuseConstruct(
        scope,
        `dependencies: expected names of 1 to 128 letters, digits and . _ : / = + @ -; got ${JSON.stringify(name)}`,
      )
    }
  }
  for (const [key, value] of Object.entries(values)) {
    for (const each of [scope, ...others]) Tags.of(each).add(`lineclear:${key}`, value)
  }
}

const TABLE = 'lineclear:table'

/** The sweeper of the table may enable what has this tag: by name, so that the consumer may be in any stack. */
export function tagMapping(mapping: Construct, tableName: string): void {
  Tags.of(mapping).add(TABLE, tableName)
}

/** @param actions on the mappings of the table, in this account and Region */
export function grantMappings(
  grantee: IGrantable,
  scope: Construct,
  tableName: string,
  actions: readonly string[],
): Grant {
  const mappings = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'event-source-mapping',
    resourceName: '*',
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
  return Grant.addToPrincipal({
    grantee,
    actions: [...actions],
    resourceArns: [mappings],
    conditions: { StringEquals: { [`aws:ResourceTag/${TABLE}`]: tableName } },
  })
}
