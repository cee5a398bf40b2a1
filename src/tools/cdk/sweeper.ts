import { fileURLToPath } from 'node:url'
import { Duration, Annotations, Stack } from 'aws-cdk-lib'
import { type Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { type AlarmProps, cdkMetric, watch, type Watched, ofFunction } from './alarms.ts'
import type { SendTarget } from './consumer.ts'
import { functionOf, type LineclearFunctionProps } from './functionOf.ts'
import { grantSend } from './permissions.ts'
import type { ILineclearTable } from './tableGrants.ts'
import { grantMappings } from './subscriptions.ts'

/** Properties of {@link LineclearSweeper}. */
export interface LineclearSweeperProps extends LineclearFunctionProps, AlarmProps {
  readonly table: ILineclearTable
  /**
   * The file of your own `sweepHandler`. Default: one that comes with Lineclear, with the default options and `emfMetrics()`.
   */
  readonly entry?: string
  /** Timeout of its function: it works until shortly before. Default 50 seconds. */
  readonly timeout?: Duration
  /** How often it runs, 1 minute or more. Default 1 minute. */
  readonly interval?: Duration
  /**
   * Queues and consumers that it sends to: those of `thenEnqueue`, the targets of delayed messages, and the own queue of each
   * consumer with `storedDelays()`. Flows of the same table and stack need not be named. Default: none.
   */
  readonly sendsTo?: readonly (IQueue | SendTarget)[]
  /** How many open requests are unusual, for `InProgressAlarm`. Default 1,000. */
  readonly maxInProgress?: number
  /** How long a delayed message may be late, for `DelayedAlarm`. Default 10 minutes. */
  readonly maxDelay?: Duration
}

/**
 * The sweeper: a function that a schedule calls every minute, its permissions, and the alarms of what it reports: overdue requests,
 * requests that wait for an operator, open circuits, late delayed messages, unusually many open ones, and its own silence. One for each table.
 * @throws ConfigError when a property is wrong.
 * @example new LineclearSweeper(stack, 'Sweeper', { table })
 */
export class LineclearSweeper extends Construct implements IGrantable {
  readonly function: IFunction
  /** Calls it. */
  readonly rule: Rule
  /** Its alarms, by id: `OverdueAlarm`, `WaitingForOperatorAlarm`, `OpenCircuitAlarm`, `SilentAlarm` and others. */
  readonly alarms: Readonly<Record<string, Alarm>>
  readonly grantPrincipal: IPrincipal

  constructor(scope: Construct, id: string, props: LineclearSweeperProps) {
    super(scope, id)
    const { table, sendsTo = [], interval = Duration.minutes(1) } = props
    const { timeout = Duration.seconds(50) } = props
    const entry = props.function === undefined ? { entry: OWN_HANDLER, timeout } : {}
    const environment = { LINECLEAR_TABLE: table.tableName }
    const made = functionOf(this, { ...entry, ...props }, environment)
    this.function = made.function
    this.grantPrincipal = made.function.grantPrincipal
    table.grantSweeper(this)
    for (const target of sendsTo) this.grantSendTo('queue' in target ? target.queue : target)
    sweepFlowsOf(table, this)
    // It ends the pauses of `lineclear pause`.
    grantMappings(this, this, table.tableName, ['lambda:UpdateEventSourceMapping'])
    this.rule = new Rule(this, 'Rule', {
      schedule: Schedule.rate(interval),
      // The next run does what a failed one has left.
      targets: [new LambdaFunction(made.function, { retryAttempts: 0 })],
    })
    const watched = { ...ofFunction(made), ...reported(props, interval) }
    this.alarms = watch(this, props, watched)
  }

  /** Lets it send to one more queue. A row in the table can name any queue: grant no others than it needs. */
  grantSendTo(queue: IQueue): void {
    grantSend(this, queue)
  }
}

/** `.ts` in the source, `.js` in the package. */
const OWN_HANDLER: string = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? 'sweeperFunction.ts' : 'sweeperFunction.js',
    import.meta.url,
  ),
)

function reported(
  { table, maxInProgress = 1_000, maxDelay = Duration.minutes(10) }: LineclearSweeperProps,
  period: Duration,
): Record<string, Watched> {
  const metric = (name: string, statistic = 'Maximum') =>
    cdkMetric('Lineclear', name, statistic, { table: table.tableName }, period)
  return {
    OverdueAlarm: {
      metric: metric('missingTasks'),
      evaluationPeriods: 5,
      means: 'Requests are overdue.',
      next: 'lineclear ls --due',
    },
    WaitingForOperatorAlarm: {
      metric: metric('waitingTasks'),
      means: 'Requests wait for an operator.',
      next: 'lineclear ls --status error,unknown,dead',
    },
    // One alarm for all consumers, as long as any circuit breaker is open.
    OpenCircuitAlarm: {
      metric: metric('openCircuits'),
      means: 'A consumer starts no handlers, because what it depends on is down.',
      next: 'lineclear status',
    },
    DelayedAlarm: {
      metric: metric('oldestDelayed'),
      threshold: maxDelay.toMilliseconds(),
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
      means: 'Delayed messages are late.',
      next: 'lineclear ls --status later --due',
    },
    InProgressAlarm: {
      metric: metric('inProgress'),
      threshold: maxInProgress,
      evaluationPeriods: 5,
      means: 'Unusually many requests are in progress.',
      next: 'lineclear ls --count',
    },
    // It reports in every run, also 0: silence is the alarm.
    SilentAlarm: {
      metric: metric('missingTasks', 'SampleCount'),
      comparisonOperator: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: 5,
      treatMissingData: TreatMissingData.BREACHING,
      means: 'The sweeper does not run.',
      next: 'lineclear sweep --apply',
    },
  }
}

interface Sweeper extends Construct {
  grantSendTo(queue: IQueue): void
}

interface Swept {
  readonly sweepers: Sweeper[]
  readonly flows: { readonly flow: Construct; readonly queues: readonly IQueue[] }[]
}

/** By table: sweeper and flow may be made in any order. */
const SWEPT = new WeakMap<ILineclearTable, Swept>()

/** Lets every sweeper of the table send to the queues of a flow: timeouts whose message was lost, and delayed messages. */
export function sweepFlow(
  table: ILineclearTable,
  flow: Construct,
  queues: readonly IQueue[],
): void {
  const { sweepers, flows } = sweptBy(table)
  flows.push({ flow, queues })
  for (const sweeper of sweepers) admit(sweeper, flow, queues)
}

function sweepFlowsOf(table: ILineclearTable, sweeper: Sweeper): void {
  const { sweepers, flows } = sweptBy(table)
  sweepers.push(sweeper)
  for (const { flow, queues } of flows) admit(sweeper, flow, queues)
}

function sweptBy(table: ILineclearTable): Swept {
  const found = SWEPT.get(table) ?? { sweepers: [], flows: [] }
  SWEPT.set(table, found)
  return found
}

/** A grant across stacks would make the stack of the sweeper depend on that of the flow, which depends on the table's. */
function admit(sweeper: Sweeper, flow: Construct, queues: readonly IQueue[]): void {
  if (Stack.of(sweeper) === Stack.of(flow)) {
    for (const queue of queues) sweeper.grantSendTo(queue)
    return
  }
  Annotations.of(flow).addWarningV2(
    'lineclear:flow-of-another-stack',
    `The sweeper ${sweeper.node.path} stands in another stack, and may not send to its queues: lost timeouts would wait. ` +
      'Put both into one stack, or name queueName, and give them to sendsTo of the sweeper by Queue.fromQueueArn.',
  )
}
