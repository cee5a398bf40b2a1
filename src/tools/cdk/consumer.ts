import { type Duration, Token } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import type { Grant, IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam'
import type { EventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { QUEUE_ACTIONS } from '../actions.ts'
import { type AlarmProps, watch, consumerAlarms } from './alarms.ts'
import { functionOf, type LineclearFunctionProps } from './functionOf.ts'
import { leastVisibility, type LineclearMappingProps, mappingOf } from './mapping.ts'
import { grantConsumerOperator, type ILineclearTable } from './tableGrants.ts'
import {
  grantActions,
  grantSend,
  WRITE_ACTIONS,
  ownKeys,
  type OwnKeysProps,
} from './permissions.ts'
import { type LineclearQueueProps, queuesOf } from './queues.ts'
import { refuseConstruct } from './queueChecks.ts'
import { type LineclearSubscription, subscribe, tag, tagMapping } from './subscriptions.ts'

/** What has a queue that others send to. */
export interface SendTarget {
  /** The queue that messages for it go to. */
  readonly queue: IQueue
}

/** Properties of {@link LineclearConsumer}. */
export interface LineclearConsumerProps
  extends
    LineclearFunctionProps,
    LineclearQueueProps,
    LineclearMappingProps,
    AlarmProps,
    OwnKeysProps {
  /** The table of its claims. */
  readonly table: ILineclearTable
  /**
   * The `name` that its handler has in `recordHandler`, by which its metrics, alarms and tags know it. Default: the id of the
   * construct.
   */
  readonly name?: string
  /** The `name` of the flow that it is a stage of; its own `name` is then that of the stage. `LineclearFlow` sets it. Default: none. */
  readonly flow?: string
  /**
   * Names of the outside systems that its handler calls, such as `['payments']`: the tag by which everything that shares one is
   * found, and can be paused. Default: none.
   */
  readonly dependencies?: readonly string[]
  /** Topics that its queue is subscribed to. Default: none. */
  readonly topics?: readonly (ITopic | LineclearSubscription)[]
  /** Queues, topics, consumers and flows that its handler sends to. Default: none but itself. */
  readonly sendsTo?: readonly (IQueue | ITopic | SendTarget)[]
  /** Your tables that its handler writes: put, update, delete and conditions. For less, call `table.grant`. Default: none. */
  readonly writesTo?: readonly ITable[]
  /** How long a message may wait before `AgeAlarm` fires. Default 15 minutes. */
  readonly maxMessageAge?: Duration
}

/**
 * A consumer of a queue: queue, dead-letter queue with redrive policies both ways, function, event source mapping with
 * `ReportBatchItemFailures`, subscriptions, alarms, tags, and a role with exact actions on exact ARNs, and of
 * Lineclear's table on the items of its own name only.
 * @throws ConfigError when a property is wrong, such as a visibility timeout that is too short: nothing is synthesised then.
 * @example new LineclearConsumer(stack, 'orders', { table, entry: 'examples/cdk/orders.ts' })
 */
export class LineclearConsumer extends Construct implements IGrantable, SendTarget {
  readonly queue: IQueue
  /** Keeps dead letters for 14 days. */
  readonly deadLetterQueue: IQueue
  /** Where SNS keeps what it could not deliver: `Undelivered`, and `UndeliveredFifo` of FIFO topics. */
  readonly undelivered: Readonly<Record<string, IQueue>>
  readonly function: IFunction
  readonly mapping: EventSourceMapping
  /** Its alarms, by id: `AgeAlarm`, `DeadLettersAlarm`, `ErrorsAlarm` and others. */
  readonly alarms: Readonly<Record<string, Alarm>>
  readonly grantPrincipal: IPrincipal

  constructor(scope: Construct, id: string, props: LineclearConsumerProps) {
    super(scope, id)
    const { table, name = id, flow, dependencies } = props
    for (const each of [name, flow ?? name, ...(props.formerNames ?? [])]) checkName(this, each)
    const made = functionOf(this, props, { LINECLEAR_TABLE: table.tableName })
    const { queue, deadLetterQueue } = queuesOf(this, props, leastVisibility(made, props))
    this.function = made.function
    this.grantPrincipal = made.function.grantPrincipal
    this.queue = queue
    this.deadLetterQueue = deadLetterQueue
    this.undelivered = subscribe(this, queue, props.topics ?? [])
    this.mapping = mappingOf(this, props)
    this.#grant(props, ownKeys(name, flow, props))
    const reportsAs = flow === undefined ? { consumer: name } : { flow, stage: name }
    this.alarms = watch(
      this,
      props,
      consumerAlarms({
        ...made,
        queue,
        deadLetterQueue,
        undelivered: this.undelivered,
        reportsAs,
        tableName: table.tableName,
        maxMessageAge: props.maxMessageAge,
      }),
    )
    tag(this, { ...reportsAs, dependencies }, made.function)
    tagMapping(this.mapping, table.tableName)
  }

  /** Lets something that is no consumer, such as the function of an API, send to its queue. */
  grantSendMessages(grantee: IGrantable): Grant {
    return grantSend(grantee, this.queue)
  }

  /** What an operator needs of its queues and its function. The rest is `table.grantOperator`. */
  grantOperator(grantee: IGrantable): void {
    const queues = [this.queue, this.deadLetterQueue, ...Object.values(this.undelivered)]
    grantConsumerOperator(grantee, queues, this.function)
  }

  /** Lets its handler send to more targets: those that exist only after it. */
  grantSendTo(...targets: readonly (IQueue | ITopic | SendTarget)[]): void {
    for (const target of targets) grantSend(this, 'queue' in target ? target.queue : target)
  }

  /** Lambda refuses a mapping whose function may not receive. */
  #grant(
    { table, sendsTo = [], writesTo = [] }: LineclearConsumerProps,
    keys: readonly string[],
  ): void {
    const { queueArn, encryptionMasterKey } = this.queue
    grantActions(this, QUEUE_ACTIONS, queueArn, encryptionMasterKey).applyBefore(this.mapping)
    grantSend(this, this.deadLetterQueue)
    table.grantConsumer(this, keys)
    this.grantSendTo(...sendsTo)
    for (const each of writesTo) {
      grantActions(this, WRITE_ACTIONS, each.tableArn, each.encryptionKey)
    }
  }
}

/** As `recordHandler` and `defineFlow` accept it. */
function checkName(scope: Construct, name: string): void {
  if (Token.isUnresolved(name) || /^[\w.-]{1,128}$/.test(name)) return
  refuseConstruct(
    scope,
    `name: expected the name of its handler, 1 to 128 letters, digits and . _ -; got ${JSON.stringify(name)}`,
  )
}
