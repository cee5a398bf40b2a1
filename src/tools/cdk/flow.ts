import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { LineclearConsumer, type LineclearConsumerProps, type SendTarget } from './consumer.ts'
import { addEnvironment, OF_NEW_FUNCTION } from './functionOf.ts'
import { grantSend, keysOfFlow } from './permissions.ts'
import { OF_NEW_QUEUE } from './queues.ts'
import { refuseConstruct } from './queueChecks.ts'
import { sweepFlow } from './sweeper.ts'
import type { ILineclearTable } from './tableGrants.ts'

/** A stage or an answer step: what differs from its flow. */
export type LineclearStageProps = Omit<LineclearConsumerProps, 'table' | 'name' | 'flow'>

/** Properties of {@link LineclearFlow}. What is not said below is the default of every stage, such as `timeout` and `environment`. */
export interface LineclearFlowProps extends Omit<
  LineclearStageProps,
  'handler' | 'function' | 'queue' | 'deadLetterQueue' | 'queueName' | 'topics'
> {
  readonly table: ILineclearTable
  /** The `name` of `defineFlow`. Default: the id of the construct. */
  readonly name?: string
  /** Its stages by name, the first one first, each with what differs from the flow. `handler` is by default the name of the stage. */
  readonly stages: Readonly<Record<string, LineclearStageProps>>
  /** Its awaited steps by name, `awaitingSteps` of `defineFlow`, as far as answers come by queue or have a timeout. Default: none. */
  readonly answers?: Readonly<Record<string, LineclearStageProps>>
}

/**
 * A flow: a {@link LineclearConsumer} for each stage and each answer step. Every stage may send to every queue of the flow, and finds
 * its URL in the environment: that of stage `charge` is `CHARGE_QUEUE`.
 * @throws ConfigError when a property is wrong, or two stages have one name.
 * @example
 * new LineclearFlow(stack, 'checkout', {
 *   table,
 *   entry: 'examples/chain-lambdas/handler.ts',
 *   stages: { validate: {}, charge: { dependencies: ['payments'] } },
 * })
 */
export class LineclearFlow extends Construct implements SendTarget {
  /** Its stages by name. */
  readonly stages: Readonly<Record<string, LineclearConsumer>>
  /** Its answer steps by name. */
  readonly answers: Readonly<Record<string, LineclearConsumer>>
  /** The queue of its first stage. */
  readonly queue: IQueue
  /** The URLs of its queues, such as `CHARGE_QUEUE`, and `LINECLEAR_TABLE`: for functions that call `flow.start` or `flow.answer`. */
  readonly environment: Readonly<Record<string, string>>
  readonly #table: ILineclearTable
  readonly #flow: string

  constructor(scope: Construct, id: string, props: LineclearFlowProps) {
    super(scope, id)
    const { stages, answers = {}, name: flow = id, ...shared } = props
    this.#table = props.table
    this.#flow = flow
    this.stages = this.#consumers(flow, shared, stages)
    this.answers = this.#consumers(flow, { lateAnswers: true, ...shared }, answers)
    this.queue = this.#first()
    const all = [...Object.entries(this.stages), ...Object.entries(this.answers)]
    const urls = Object.fromEntries(
      all.map(([name, { queue }]) => [variableOf(name), queue.queueUrl]),
    )
    if (Object.keys(urls).length < all.length) {
      refuseConstruct(
        this,
        `stages: expected names with variables of their own; got ${all.map(([name]) => name).join(', ')}`,
      )
    }
    this.environment = { ...urls, LINECLEAR_TABLE: props.table.tableName }
    this.#connect(
      all.map(([, consumer]) => consumer),
      urls,
    )
  }

  /** Lets a function start the flow: it sends to the queue of the first stage. */
  grantStart(grantee: IGrantable): Grant {
    return grantSend(grantee, this.queue)
  }

  /** Lets a function, such as that of a webhook, hand in answers with `flow.answer`. */
  grantAnswer(grantee: IGrantable): void {
    this.#table.grantCalls(grantee, keysOfFlow(this.#flow))
    for (const { queue } of Object.values(this.answers)) grantSend(grantee, queue)
  }

  /** What an operator needs of the queues and functions of its stages. The rest is `table.grantOperator`. */
  grantOperator(grantee: IGrantable): void {
    const all = [...Object.values(this.stages), ...Object.values(this.answers)]
    for (const consumer of all) consumer.grantOperator(grantee)
  }

  #consumers(
    flow: string,
    shared: Shared,
    described: Readonly<Record<string, LineclearStageProps>>,
  ): Readonly<Record<string, LineclearConsumer>> {
    const made = Object.entries(described).map(([name, own]) => {
      const props = { ...stageProps(shared, own, name), name, flow, table: shared.table }
      return [name, new LineclearConsumer(this, name, props)] as const
    })
    return Object.fromEntries(made)
  }

  #first(): IQueue {
    const [first] = Object.values(this.stages)
    if (first === undefined) refuseConstruct(this, 'stages: expected one stage or more; got none')
    return first.queue
  }

  #connect(consumers: readonly LineclearConsumer[], urls: Readonly<Record<string, string>>): void {
    for (const consumer of consumers) {
      consumer.grantSendTo(...consumers.filter((other) => other !== consumer))
      addEnvironment(consumer.function, urls)
    }
    sweepFlow(
      this.#table,
      this,
      consumers.map(({ queue }) => queue),
    )
  }
}

type Shared = LineclearStageProps & { readonly table: ILineclearTable }

/** What a stage brings itself, a function or a queue, takes none of the properties with which one is made. */
function stageProps(shared: Shared, own: LineclearStageProps, name: string): LineclearStageProps {
  const left = new Set<string>([
    ...(own.function === undefined ? [] : [...OF_NEW_FUNCTION, 'timeout']),
    ...(own.queue === undefined ? [] : OF_NEW_QUEUE),
  ])
  const general = Object.fromEntries(Object.entries(shared).filter(([key]) => !left.has(key)))
  return {
    ...(own.function === undefined && { handler: name }),
    ...general,
    ...own,
    environment: { ...shared.environment, ...own.environment },
  }
}

/** `findHotel` is `FIND_HOTEL_QUEUE`. */
function variableOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').replaceAll(/\W/g, '_')
  return `${words.toUpperCase()}_QUEUE`
}
