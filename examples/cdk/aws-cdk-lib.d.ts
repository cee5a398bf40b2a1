/** What `consumer.ts` uses of CDK, so that this repository checks it without the 190 MB of aws-cdk-lib. Not for your project. */
declare module 'constructs' {
  export class Construct {
    private readonly construct: never
  }
}

declare module 'aws-cdk-lib' {
  export class Duration {
    static seconds(amount: number): Duration
    static days(amount: number): Duration
    toSeconds(): number
  }
  export enum RemovalPolicy {
    RETAIN = 'retain',
  }
}

declare module 'aws-cdk-lib/aws-dynamodb' {
  import type { RemovalPolicy } from 'aws-cdk-lib'
  import type { IGrantable } from 'aws-cdk-lib/aws-lambda'
  import type { Construct } from 'constructs'
  export enum AttributeType {
    STRING = 'S',
    NUMBER = 'N',
  }
  export enum ProjectionType {
    INCLUDE = 'INCLUDE',
  }
  export class Billing {
    static onDemand(): Billing
    private readonly billing: never
  }
  interface Attribute {
    readonly name: string
    readonly type: AttributeType
  }
  interface Keys {
    readonly partitionKey: Attribute
    readonly sortKey?: Attribute
  }
  interface Index extends Keys {
    readonly indexName: string
    readonly projectionType?: ProjectionType
    readonly nonKeyAttributes?: string[]
  }
  interface TableProps extends Keys {
    readonly tableName?: string
    readonly timeToLiveAttribute?: string
    readonly billing?: Billing
    readonly deletionProtection?: boolean
    readonly pointInTimeRecoverySpecification?: { readonly pointInTimeRecoveryEnabled: boolean }
    readonly removalPolicy?: RemovalPolicy
    readonly globalSecondaryIndexes?: Index[]
  }
  export class TableV2 extends Construct {
    constructor(scope: Construct, id: string, props: TableProps)
    readonly stack: { readonly region: string; readonly account: string }
    grant(grantee: IGrantable, ...actions: string[]): unknown
  }
}

declare module 'aws-cdk-lib/aws-lambda' {
  export interface IGrantable {
    readonly grantPrincipal: unknown
  }
  export class Runtime {
    static readonly NODEJS_24_X: Runtime
    readonly name: string
  }
}

declare module 'aws-cdk-lib/aws-lambda-nodejs' {
  import type { Duration } from 'aws-cdk-lib'
  import type { IGrantable, Runtime } from 'aws-cdk-lib/aws-lambda'
  import type { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
  import type { Construct } from 'constructs'
  export enum OutputFormat {
    ESM = 'esm',
  }
  interface FunctionProps {
    readonly entry?: string
    readonly runtime?: Runtime
    readonly timeout?: Duration
    readonly bundling?: { readonly format?: OutputFormat }
  }
  export class NodejsFunction extends Construct implements IGrantable {
    constructor(scope: Construct, id: string, props: FunctionProps)
    readonly grantPrincipal: unknown
    addEventSource(source: SqsEventSource): void
  }
}

declare module 'aws-cdk-lib/aws-lambda-event-sources' {
  import type { Queue } from 'aws-cdk-lib/aws-sqs'
  export class SqsEventSource {
    constructor(
      queue: Queue,
      props: { readonly reportBatchItemFailures?: boolean; readonly maxConcurrency?: number },
    )
    private readonly queue: never
  }
}

declare module 'aws-cdk-lib/aws-sqs' {
  import type { Duration } from 'aws-cdk-lib'
  import type { IGrantable } from 'aws-cdk-lib/aws-lambda'
  import type { Construct } from 'constructs'
  export enum RedrivePermission {
    BY_QUEUE = 'byQueue',
  }
  export interface IQueue {
    readonly queueArn: string
  }
  interface AlarmProps {
    readonly threshold: number
    readonly evaluationPeriods: number
  }
  interface Metric {
    createAlarm(scope: Construct, id: string, props: AlarmProps): unknown
  }
  interface QueueProps {
    readonly queueName?: string
    readonly visibilityTimeout?: Duration
    readonly retentionPeriod?: Duration
    readonly deadLetterQueue?: { readonly queue: Queue; readonly maxReceiveCount: number }
    readonly redriveAllowPolicy?: {
      readonly redrivePermission?: RedrivePermission
      readonly sourceQueues?: IQueue[]
    }
  }
  export class Queue extends Construct implements IQueue {
    static fromQueueArn(scope: Construct, id: string, queueArn: string): IQueue
    constructor(scope: Construct, id: string, props: QueueProps)
    readonly queueArn: string
    grant(grantee: IGrantable, ...actions: string[]): unknown
    grantSendMessages(grantee: IGrantable): unknown
    metricApproximateNumberOfMessagesVisible(): Metric
  }
}
