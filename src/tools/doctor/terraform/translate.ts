import { asValues, own, textOfValue, type Values } from '../template/resolve.ts'
import { type ResourceAttributes, texts } from './attributes.ts'

/** A resource in CloudFormation's words. `into` adds to the properties of another one. An undefined property is not set. */
export type Translated =
  | { readonly id: string; readonly Type: string; readonly Properties: Values }
  | { readonly into: string; readonly Properties: Values }

/** Resources of other types keep their type, so that what refers to them is not taken for something else. */
export function translate(of: ResourceAttributes): readonly Translated[] {
  const { id, type } = of.instance
  const made = own(TYPES, type) as Translator | undefined
  return made?.(of) ?? [{ id, Type: type, Properties: {} }]
}

type Translator = (of: ResourceAttributes) => readonly Translated[]
type PropertiesOf = (of: ResourceAttributes) => Values

function resource(Type: string, propertiesOf: PropertiesOf): Translator {
  return (of) => [{ id: of.instance.id, Type, Properties: propertiesOf(of) }]
}

/** Adds to the resource that the attribute refers to. */
function into(name: string, propertiesOf: PropertiesOf): Translator {
  return (of) => [{ into: textOfValue(of.to(name)), Properties: propertiesOf(of) }]
}

const ofPolicy: PropertiesOf = (of) => ({ PolicyDocument: of.document('policy') })

const TYPES: Readonly<Record<string, Translator>> = {
  aws_sqs_queue: (of) => {
    const policy = of.document('policy')
    const { id } = of.instance
    const Properties = { Queues: [id], PolicyDocument: policy }
    const attached = { id: `${id}.policy`, Type: 'AWS::SQS::QueuePolicy', Properties }
    return [...queue(of), ...(policy === undefined ? [] : [attached])]
  },
  aws_sqs_queue_redrive_policy: into('queue_url', (of) => ({ RedrivePolicy: redrive(of) })),
  aws_sqs_queue_redrive_allow_policy: into('queue_url', (of) => ({
    RedriveAllowPolicy: redriveAllow(of),
  })),
  aws_sqs_queue_policy: resource('AWS::SQS::QueuePolicy', (of) => ({
    Queues: [of.to('queue_url')],
    ...ofPolicy(of),
  })),
  aws_lambda_function: resource('AWS::Lambda::Function', lambdaFunction),
  aws_lambda_alias: resource('AWS::Lambda::Alias', (of) => ({
    FunctionName: of.to('function_name'),
  })),
  aws_lambda_function_event_invoke_config: resource('AWS::Lambda::EventInvokeConfig', (of) => {
    const failed = of.block('destination_config')?.block('on_failure')
    return {
      FunctionName: of.to('function_name'),
      DestinationConfig: { OnFailure: { Destination: failed?.to('destination') } },
    }
  }),
  aws_lambda_function_recursion_config: into('function_name', (of) => ({
    RecursiveLoop: of.get('recursive_loop'),
  })),
  aws_lambda_event_source_mapping: resource('AWS::Lambda::EventSourceMapping', mapping),
  aws_sns_topic: resource('AWS::SNS::Topic', (of) => ({
    TopicName: of.get('name'),
  })),
  aws_sns_topic_subscription: resource('AWS::SNS::Subscription', subscription),
  aws_iam_role: resource('AWS::IAM::Role', (of) => ({
    RoleName: of.get('name'),
    ManagedPolicyArns: of.get('managed_policy_arns'),
    Policies: of
      .blocks('inline_policy')
      .filter((each) => each.get('policy') !== undefined)
      .map(ofPolicy),
  })),
  aws_iam_role_policy: resource('AWS::IAM::Policy', (of) => ({
    Roles: [of.to('role')],
    ...ofPolicy(of),
  })),
  aws_iam_policy: resource('AWS::IAM::ManagedPolicy', ofPolicy),
  aws_iam_role_policy_attachment: (of) => attachment(of, [of.to('role')]),
  aws_iam_policy_attachment: (of) => attachment(of, rolesOf(of)),
  aws_dynamodb_table: resource('AWS::DynamoDB::Table', table),
  aws_cloudwatch_metric_alarm: resource('AWS::CloudWatch::Alarm', alarm),
  aws_cloudwatch_event_rule: resource('AWS::Events::Rule', (of) => {
    const off = of.get('is_enabled') === false || of.get('state') === 'DISABLED'
    return {
      Name: of.get('name'),
      ScheduleExpression: of.get('schedule_expression'),
      State: off ? 'DISABLED' : undefined,
    }
  }),
  aws_cloudwatch_event_target: into('rule', (of) => ({
    Targets: [{ RoleArn: of.get('role_arn'), ...targetOf(of) }],
  })),
  awscc_eventsv2_subscriber: resource('AWS::EventsV2::Subscriber', subscriber),
  aws_scheduler_schedule: resource('AWS::Scheduler::Schedule', (of) => ({
    ScheduleExpression: of.get('schedule_expression'),
    State: of.get('state'),
    Target: targetOf(of.block('target')),
  })),
  aws_s3_bucket: resource('AWS::S3::Bucket', (of) => ({ BucketName: of.get('bucket') })),
  aws_s3_bucket_notification: into('bucket', (of) => ({
    NotificationConfiguration: {
      QueueConfigurations: of.blocks('queue').map((each) => ({ Queue: each.to('queue_arn') })),
      LambdaConfigurations: of
        .blocks('lambda_function')
        .map((each) => ({ Function: each.to('lambda_function_arn') })),
    },
  })),
  aws_s3_bucket_lifecycle_configuration: into('bucket', (of) => ({
    LifecycleConfiguration: {
      Rules: of.blocks('rule').map((each) => ({
        Status: each.get('status'),
        Prefix: each.block('filter')?.get('prefix') ?? each.get('prefix'),
        ExpirationInDays: each.block('expiration')?.get('days'),
      })),
    },
  })),
}

const queue = resource('AWS::SQS::Queue', (of) => ({
  QueueName: of.get('name'),
  FifoQueue: of.get('fifo_queue'),
  VisibilityTimeout: of.get('visibility_timeout_seconds'),
  MaximumMessageSize: of.get('max_message_size'),
  MessageRetentionPeriod: of.get('message_retention_seconds'),
  KmsMasterKeyId: of.get('kms_master_key_id'),
  SqsManagedSseEnabled: of.get('sqs_managed_sse_enabled'),
  RedrivePolicy: redrive(of),
  RedriveAllowPolicy: redriveAllow(of),
}))

/** A plan shows to which queue an unknown policy refers, and not how many receives it allows. */
function redrive(of: ResourceAttributes): unknown {
  const written = of.json('redrive_policy')
  if (typeof written !== 'string') return written
  const [deadLetterTargetArn = written] = of.all('redrive_policy')
  return { deadLetterTargetArn, maxReceiveCount: written }
}

function redriveAllow(of: ResourceAttributes): unknown {
  const written = of.json('redrive_allow_policy')
  if (typeof written !== 'string') return written
  const sources = of.all('redrive_allow_policy')
  return { redrivePermission: 'byQueue', sourceQueueArns: sources.length > 0 ? sources : [written] }
}

function subscription(of: ResourceAttributes): Values {
  return {
    Protocol: of.get('protocol'),
    TopicArn: of.to('topic_arn'),
    Endpoint: of.to('endpoint'),
    RawMessageDelivery: of.get('raw_message_delivery'),
    FilterPolicy: of.json('filter_policy'),
    FilterPolicyScope: of.get('filter_policy_scope'),
    RedrivePolicy: redrive(of),
  }
}

function subscriber(of: ResourceAttributes): Values {
  const invoke = of.block('invoke_configuration')
  const dead = of.block('on_failure_configuration')
  return {
    InvokeConfiguration: {
      TargetArn: invoke?.to('target_arn'),
      SqsParameters: {
        MessageAttributes: invoke?.block('sqs_parameters')?.get('message_attributes'),
      },
    },
    OnFailureConfiguration: dead && { Arn: dead.to('arn') },
    Transformer: { Type: of.block('transformer')?.get('type') },
    BatchConfiguration: { MaxBatchSize: of.block('batch_configuration')?.get('max_batch_size') },
  }
}

function lambdaFunction(of: ResourceAttributes): Values {
  const dead = of.block('dead_letter_config')
  const managed = of
    .block('capacity_provider_config')
    ?.block('lambda_managed_instances_capacity_provider_config')
  const most = managed?.get('per_execution_environment_max_concurrency')
  return {
    FunctionName: of.get('function_name'),
    Timeout: of.get('timeout'),
    Runtime: of.get('runtime'),
    Role: of.to('role'),
    Environment: environment(of.block('environment')),
    Tags: of.get('tags_all') ?? of.get('tags'),
    DeadLetterConfig: dead && { TargetArn: dead.to('target_arn') },
    CapacityProviderConfig: managed && {
      LambdaManagedInstancesCapacityProviderConfig: { PerExecutionEnvironmentMaxConcurrency: most },
    },
    VpcConfig: { SubnetIds: of.block('vpc_config')?.get('subnet_ids') },
    DurableConfig: of.block('durable_config') && {},
    TenancyConfig: {
      TenantIsolationMode: of.block('tenancy_config')?.get('tenant_isolation_mode'),
    },
  }
}

/** A plan leaves out of a map each value that it does not know; the ids that the map refers to are read in their place. */
function environment(of: ResourceAttributes | undefined): Values | undefined {
  if (of === undefined) return undefined
  const variables = of.get('variables')
  const referred = of.all('variables')
  if (referred.length === 0) return { Variables: variables }
  return { Variables: { ...asValues(variables), '${unknown}': referred } }
}

function mapping(of: ResourceAttributes): Values {
  const filters = of.block('filter_criteria')?.blocks('filter') ?? []
  return {
    EventSourceArn: of.to('event_source_arn'),
    FunctionName: of.to('function_name'),
    Enabled: of.get('enabled'),
    MaximumBatchingWindowInSeconds: of.get('maximum_batching_window_in_seconds'),
    FunctionResponseTypes: of.get('function_response_types'),
    FilterCriteria: { Filters: filters.map((each) => ({ Pattern: each.get('pattern') })) },
    ScalingConfig: {
      MaximumConcurrency: of.block('scaling_config')?.get('maximum_concurrency'),
    },
    ProvisionedPollerConfig: of.block('provisioned_poller_config') && {},
    Tags: of.get('tags_all') ?? of.get('tags'),
  }
}

function attachment(of: ResourceAttributes, Roles: readonly unknown[]): readonly Translated[] {
  const policy = textOfValue(of.to('policy_arn'))
  const found = of.other(policy)
  if (found?.instance.type === 'aws_iam_policy') {
    const Properties = { Roles, ...ofPolicy(found) }
    return [{ id: of.instance.id, Type: 'AWS::IAM::Policy', Properties }]
  }
  return Roles.map((each) => ({
    into: textOfValue(each),
    Properties: { ManagedPolicyArns: [policy] },
  }))
}

function rolesOf(of: ResourceAttributes): readonly string[] {
  const referred = of.all('roles')
  return referred.length > 0 ? referred : texts(of.get('roles'))
}

function alarm(of: ResourceAttributes): Values {
  const queries = of.blocks('metric_query').flatMap((query) => query.blocks('metric'))
  return {
    AlarmName: of.get('alarm_name'),
    ...metric(of),
    TreatMissingData: of.get('treat_missing_data'),
    ComparisonOperator: of.get('comparison_operator'),
    Statistic: of.get('statistic'),
    Threshold: of.get('threshold'),
    AlarmActions: texts(of.get('alarm_actions')),
    Metrics: queries.map((each) => ({ MetricStat: { Metric: metric(each) } })),
  }
}

function metric(of: ResourceAttributes): Values {
  const known = Object.entries(asValues(of.get('dimensions')))
  const referred = of.all('dimensions').map((id) => ({ Name: '', Value: id }))
  const Dimensions = [...known.map(([Name, Value]) => ({ Name, Value })), ...referred]
  return { Namespace: of.get('namespace'), MetricName: of.get('metric_name'), Dimensions }
}

function targetOf(of: ResourceAttributes | undefined): Values {
  const dead = of?.block('dead_letter_config')
  return { Arn: of?.to('arn'), DeadLetterConfig: dead && { Arn: dead.to('arn') } }
}

function table(of: ResourceAttributes): Values {
  const ttl = of.block('ttl')
  const copies = of.blocks('replica')
  const ofOneCopy = {
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: of.block('point_in_time_recovery')?.get('enabled') ?? false,
    },
    DeletionProtectionEnabled: of.get('deletion_protection_enabled') ?? false,
  }
  const own = { Region: of.get('region') ?? '${its own Region}', ...ofOneCopy }
  const others = copies.map((each) => ({ Region: each.get('region_name') }))
  const strong = copies.some((each) => each.get('consistency_mode') === 'STRONG')
  return {
    TableName: of.get('name'),
    KeySchema: keySchema(of),
    BillingMode: of.get('billing_mode') ?? 'PROVISIONED',
    TimeToLiveSpecification: {
      AttributeName: ttl?.get('attribute_name'),
      Enabled: ttl?.get('enabled') ?? false,
    },
    ...ofOneCopy,
    Replicas: [own, ...others],
    MultiRegionConsistency: strong ? 'STRONG' : undefined,
    GlobalSecondaryIndexes: of.blocks('global_secondary_index').map((index) => ({
      IndexName: index.get('name'),
      KeySchema: keySchema(index),
      Projection: {
        ProjectionType: index.get('projection_type'),
        NonKeyAttributes: texts(index.get('non_key_attributes')),
      },
    })),
  }
}

/** Two arguments, or blocks of an index since version 6 of the provider. */
function keySchema(of: ResourceAttributes): Values[] {
  const blocks = of.blocks('key_schema').map((each) => ({
    AttributeName: each.get('attribute_name'),
    KeyType: each.get('key_type'),
  }))
  if (blocks.length > 0) return blocks
  const range = of.get('range_key')
  return [
    { AttributeName: of.get('hash_key'), KeyType: 'HASH' },
    ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
  ]
}
