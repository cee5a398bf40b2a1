import { Annotations, RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import {
  tableDefinition,
  timeToLive,
} from '../../library/adapters/store/dynamodb/tableDefinition.ts'
import { type AlarmProps, cdkMetric, watch, type Watched } from './alarms.ts'
import { refuseConstruct } from './queueChecks.ts'
import {
  type ILineclearTable,
  INDEX,
  type LineclearTableAttributes,
  TableGrants,
  ownNameOf,
  TableOfAnotherStack,
} from './tableGrants.ts'

/** Properties of {@link LineclearTable}. */
export interface LineclearTableProps extends AlarmProps {
  /** Name of the table. Default: the name of the stack, and `-lineclear`. Handlers find it in `LINECLEAR_TABLE`. */
  readonly tableName?: string
  /**
   * Gets every alarm by email, once its owner has confirmed the subscription. Not beside `alarmTopic`.
   * Default: none; then give `alarmTopic`, or no one is notified.
   */
  readonly alarmEmail?: string
  /** The key of a customer. Default: the key that AWS manages for DynamoDB in this account. */
  readonly encryptionKey?: IKey
  /**
   * Any other property of the table, such as `removalPolicy` in a test account. `warmThroughput` is that of the index, too.
   * Default: none.
   */
  readonly tableProps?: Omit<TableProps, OwnOfTable>
}

/**
 * Lineclear's table: keys, time to live, the index `byStatus`, on-demand capacity, point-in-time recovery, deletion protection,
 * encryption, and alarms for throttles. One for all consumers of an application, in one Region. It also makes the topic of all
 * alarms, unless you give one.
 * @throws ConfigError when a property is wrong.
 * @example const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
 */
export class LineclearTable extends TableGrants {
  /**
   * A table that another stack, or another tool, has made.
   * @example const table = LineclearTable.fromTableName(stack, 'Table', 'lineclear')
   */
  static fromTableName(
    scope: Construct,
    id: string,
    tableName: string,
    attributes: LineclearTableAttributes = {},
  ): ILineclearTable {
    return new TableOfAnotherStack(scope, id, tableName, attributes)
  }

  /** The table itself. */
  readonly table: Table
  readonly tableName: string
  readonly ownName: string | undefined
  readonly tableArn: string
  readonly alarmTopic: ITopic
  /** Its alarms, by id: `ReadThrottlesAlarm`, `WriteThrottlesAlarm`, `IndexThrottlesAlarm`. */
  readonly alarms: Readonly<Record<string, Alarm>>
  protected readonly encryptionKey: IKey | undefined

  constructor(scope: Construct, id: string, props: LineclearTableProps = {}) {
    super(scope, id)
    this.table = makeTable(this, props)
    this.tableName = this.table.tableName
    this.ownName = ownNameOf(nameOf(this, props))
    this.tableArn = this.table.tableArn
    this.encryptionKey = props.encryptionKey
    this.alarmTopic = topicOf(this, props)
    this.alarms = watch(
      this,
      { ...props, table: this, alarmTopic: this.alarmTopic },
      throttles(this.tableName),
    )
  }
}

/** Two environments of one account are two stacks. */
function nameOf(scope: LineclearTable, { tableName }: LineclearTableProps): string {
  return tableName ?? `${Stack.of(scope).stackName}-lineclear`
}

type OwnOfTable = 'tableName' | 'partitionKey' | 'sortKey' | 'timeToLiveAttribute' | 'encryptionKey'

function makeTable(scope: LineclearTable, props: LineclearTableProps): Table {
  const { encryptionKey, tableProps } = props
  const defined = tableDefinition({ tableName: nameOf(scope, props) })
  const [partitionKey, sortKey] = keysOf(defined.KeySchema)
  const table = new Table(scope, 'Table', {
    billingMode: BillingMode.PAY_PER_REQUEST,
    deletionProtection: true,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...(encryptionKey === undefined
      ? { encryption: TableEncryption.AWS_MANAGED }
      : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey }),
    ...tableProps,
    tableName: defined.TableName ?? '',
    partitionKey,
    sortKey,
    timeToLiveAttribute: timeToLive().TimeToLiveSpecification?.AttributeName ?? '',
  })
  // A cold index throttles the writes of a warm table.
  const warm = tableProps?.warmThroughput && { warmThroughput: tableProps.warmThroughput }
  for (const index of defined.GlobalSecondaryIndexes ?? []) {
    const [partitionKey, sortKey] = keysOf(index.KeySchema)
    table.addGlobalSecondaryIndex({
      indexName: index.IndexName ?? '',
      partitionKey,
      sortKey,
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: index.Projection?.NonKeyAttributes ?? [],
      ...warm,
    })
  }
  return table
}

type KeySchema = readonly { readonly AttributeName: string | undefined }[]

/** In the order of `KeySchema`: partition key, sort key. */
function keysOf(schema: KeySchema = []): [Attribute, Attribute] {
  const types = new Map(
    tableDefinition().AttributeDefinitions?.map((each) => [each.AttributeName, each.AttributeType]),
  )
  const [hash, range] = schema.map(({ AttributeName = '' }) => ({
    name: AttributeName,
    type: types.get(AttributeName) === 'N' ? AttributeType.NUMBER : AttributeType.STRING,
  }))
  if (hash === undefined || range === undefined) throw new TypeError('A key has two attributes.')
  return [hash, range]
}

function topicOf(
  scope: LineclearTable,
  { alarmTopic, alarmEmail, alarms }: LineclearTableProps,
): ITopic {
  if (alarmTopic !== undefined) {
    if (alarmEmail !== undefined) {
      refuseConstruct(
        scope,
        'alarmEmail: expected one of alarmTopic and alarmEmail; got both: subscribe the email to the topic',
      )
    }
    return alarmTopic
  }
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true })
  admitAlarms(topic)
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail))
  else if (alarms !== false) {
    Annotations.of(scope).addWarningV2(
      'lineclear:alarms-without-subscriber',
      'Alarms notify no one: give alarmEmail, or the alarmTopic of the engineers on call.',
    )
  }
  return topic
}

/** A topic with a policy of its own has no longer the default one, which admits CloudWatch. */
function admitAlarms(topic: Topic): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } },
    }),
  )
}

function throttles(TableName: string): Record<string, Watched> {
  const metric = (name: string, more: object = {}): Watched => ({
    metric: cdkMetric('AWS/DynamoDB', name, 'Sum', { TableName, ...more }),
    means: 'DynamoDB throttles: a key or shard is hot, or the account is at its limit.',
    next: 'lineclear status',
  })
  return {
    ReadThrottlesAlarm: metric('ReadThrottleEvents'),
    WriteThrottlesAlarm: metric('WriteThrottleEvents'),
    // A throttled index throttles writes to the table.
    IndexThrottlesAlarm: metric('WriteThrottleEvents', { GlobalSecondaryIndexName: INDEX }),
  }
}
