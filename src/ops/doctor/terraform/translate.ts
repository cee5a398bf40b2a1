import { asValues, textOf, type Values } from '../template/values.ts'
import { type Attributes, texts } from './attributes.ts'
import type { Translated, Translation } from './translation.ts'
import { translateTable } from './translateTable.ts'

/** Resources of other types keep their type, so that what refers to them is not taken for something else. */
export function translate(translation: Translation): readonly Translated[] {
  const { id, of } = translation
  const made = TYPES.get(of.instance.type)
  return made?.(translation) ?? [{ id, Type: of.instance.type, Properties: {} }]
}

type Translator = (translation: Translation) => readonly Translated[]

const TYPES: ReadonlyMap<string, Translator> = new Map<string, Translator>([
  ['aws_sqs_queue', queue],
  [
    'aws_sqs_queue_redrive_policy',
    ({ of }) => [{ into: textOf(of.to('queue_url')), Properties: { RedrivePolicy: redrive(of) } }],
  ],
  [
    'aws_sqs_queue_redrive_allow_policy',
    ({ of }) => [
      { into: textOf(of.to('queue_url')), Properties: { RedriveAllowPolicy: redriveAllow(of) } },
    ],
  ],
  ['aws_sqs_queue_policy', queuePolicy],
  ['aws_lambda_function', lambdaFunction],
  ['aws_lambda_alias', alias],
  ['aws_lambda_function_event_invoke_config', invokeConfig],
  [
    'aws_lambda_function_recursion_config',
    ({ of }) => [
      {
        into: textOf(of.to('function_name')),
        Properties: { RecursiveLoop: of.get('recursive_loop') },
      },
    ],
  ],
  ['aws_lambda_event_source_mapping', mapping],
  [
    'aws_sns_topic',
    ({ id, of }) => [
      {
        id,
        Type: 'AWS::SNS::Topic',
        Properties: { TopicName: of.get('name'), FifoTopic: of.get('fifo_topic') },
      },
    ],
  ],
  ['aws_sns_topic_subscription', subscription],
  ['aws_iam_role', role],
  ['aws_iam_role_policy', rolePolicy],
  [
    'aws_iam_policy',
    ({ id, document }) => [
      {
        id,
        Type: 'AWS::IAM::ManagedPolicy',
        Properties: { PolicyDocument: document('policy') },
      },
    ],
  ],
  ['aws_iam_role_policy_attachment', attachment],
  ['aws_iam_policy_attachment', attachment],
  ['aws_dynamodb_table', translateTable],
  ['aws_cloudwatch_metric_alarm', alarm],
  ['aws_cloudwatch_event_rule', eventRule],
  ['aws_cloudwatch_event_target', eventTarget],
  ['aws_scheduler_schedule', schedule],
  [
    'aws_s3_bucket',
    ({ id, of }) => [{ id, Type: 'AWS::S3::Bucket', Properties: { BucketName: of.get('bucket') } }],
  ],
  ['aws_s3_bucket_notification', notification],
  ['aws_s3_bucket_lifecycle_configuration', lifecycle],
  [
    'aws_pipes_pipe',
    ({ id, of }) => [{ id, Type: 'AWS::Pipes::Pipe', Properties: { Source: of.to('source') } }],
  ],
])

function queue({ id, of, document }: Translation): readonly Translated[] {
  const policy = document('policy')
  const own: Translated = {
    id,
    Type: 'AWS::SQS::Queue',
    Properties: {
      QueueName: of.get('name'),
      FifoQueue: of.get('fifo_queue'),
      VisibilityTimeout: of.get('visibility_timeout_seconds'),
      MessageRetentionPeriod: of.get('message_retention_seconds'),
      KmsMasterKeyId: of.get('kms_master_key_id'),
      SqsManagedSseEnabled: of.get('sqs_managed_sse_enabled'),
      RedrivePolicy: redrive(of),
      RedriveAllowPolicy: redriveAllow(of),
    },
  }
  if (policy === undefined) return [own]
  const Properties = { Queues: [id], PolicyDocument: policy }
  return [own, { id: `${id}.policy`, Type: 'AWS::SQS::QueuePolicy', Properties }]
}

/** A plan shows to which queue an unknown policy refers, and not how many receives it allows. */
function redrive(of: Attributes): unknown {
  const written = of.json('redrive_policy')
  if (typeof written !== 'string') return written
  const [deadLetterTargetArn = written] = of.all('redrive_policy')
  return { deadLetterTargetArn, maxReceiveCount: written }
}

function redriveAllow(of: Attributes): unknown {
  const written = of.json('redrive_allow_policy')
  if (typeof written !== 'string') return written
  const sources = of.all('redrive_allow_policy')
  return { redrivePermission: 'byQueue', sourceQueueArns: sources.length > 0 ? sources : [written] }
}

function queuePolicy({ id, of, document }: Translation): readonly Translated[] {
  const Properties = { Queues: [of.to('queue_url')], PolicyDocument: document('policy') }
  return [{ id, Type: 'AWS::SQS::QueuePolicy', Properties }]
}

function lambdaFunction({ id, of }: Translation): readonly Translated[] {
  const TargetArn = of.block('dead_letter_config')?.to('target_arn')
  return [
    {
      id,
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: of.get('function_name'),
        Timeout: of.get('timeout'),
        Runtime: of.get('runtime'),
        Role: of.to('role'),
        ...(TargetArn === undefined ? {} : { DeadLetterConfig: { TargetArn } }),
      },
    },
  ]
}

function alias({ id, of }: Translation): readonly Translated[] {
  const Properties = { FunctionName: of.to('function_name') }
  return [{ id, Type: 'AWS::Lambda::Alias', Properties }]
}

function invokeConfig({ id, of }: Translation): readonly Translated[] {
  const failed = of.block('destination_config')?.block('on_failure')
  const Destination = failed?.to('destination')
  const Properties = {
    FunctionName: of.to('function_name'),
    DestinationConfig: { OnFailure: { Destination } },
  }
  return [{ id, Type: 'AWS::Lambda::EventInvokeConfig', Properties }]
}

function mapping({ id, of }: Translation): readonly Translated[] {
  const filters = of.block('filter_criteria')?.blocks('filter') ?? []
  const most = of.block('scaling_config')?.get('maximum_concurrency')
  const pollers = of.block('provisioned_poller_config')
  return [
    {
      id,
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: of.to('event_source_arn'),
        FunctionName: of.to('function_name'),
        BatchSize: of.get('batch_size'),
        MaximumBatchingWindowInSeconds: of.get('maximum_batching_window_in_seconds'),
        FunctionResponseTypes: of.get('function_response_types'),
        FilterCriteria: { Filters: filters.map((each) => ({ Pattern: each.get('pattern') })) },
        ...(most === undefined ? {} : { ScalingConfig: { MaximumConcurrency: most } }),
        ...(pollers === undefined ? {} : { ProvisionedPollerConfig: {} }),
      },
    },
  ]
}

function subscription({ id, of }: Translation): readonly Translated[] {
  const redriven = of.json('redrive_policy')
  const [deadLetterTargetArn = redriven] = of.all('redrive_policy')
  const RedrivePolicy = typeof redriven === 'string' ? { deadLetterTargetArn } : redriven
  return [
    {
      id,
      Type: 'AWS::SNS::Subscription',
      Properties: {
        Protocol: of.get('protocol'),
        TopicArn: of.to('topic_arn'),
        Endpoint: of.to('endpoint'),
        RawMessageDelivery: of.get('raw_message_delivery'),
        ...(RedrivePolicy === undefined ? {} : { RedrivePolicy }),
      },
    },
  ]
}

function role({ id, of, document }: Translation): readonly Translated[] {
  const inline = of.blocks('inline_policy').filter((each) => each.get('policy') !== undefined)
  return [
    {
      id,
      Type: 'AWS::IAM::Role',
      Properties: {
        RoleName: of.get('name'),
        ManagedPolicyArns: of.get('managed_policy_arns'),
        Policies: inline.map((each) => ({ PolicyDocument: document('policy', each) })),
      },
    },
  ]
}

function rolePolicy({ id, of, document }: Translation): readonly Translated[] {
  const Properties = { Roles: [of.to('role')], PolicyDocument: document('policy') }
  return [{ id, Type: 'AWS::IAM::Policy', Properties }]
}

function attachment({ id, of, document, other }: Translation): readonly Translated[] {
  const policy = textOf(of.to('policy_arn'))
  const roles = of.instance.type === 'aws_iam_policy_attachment' ? rolesOf(of) : [of.to('role')]
  const own = other(policy)
  if (own?.instance.type === 'aws_iam_policy') {
    const Properties = { Roles: roles, PolicyDocument: document('policy', own) }
    return [{ id, Type: 'AWS::IAM::Policy', Properties }]
  }
  return roles.map((each) => ({
    into: textOf(each),
    Properties: { ManagedPolicyArns: [policy] },
  }))
}

function rolesOf(of: Attributes): readonly string[] {
  const referred = of.all('roles')
  return referred.length > 0 ? referred : texts(of.get('roles'))
}

function alarm({ id, of }: Translation): readonly Translated[] {
  const queries = of.blocks('metric_query').flatMap((query) => query.blocks('metric'))
  return [
    {
      id,
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ...metric(of),
        TreatMissingData: of.get('treat_missing_data'),
        AlarmActions: texts(of.get('alarm_actions')),
        ...(queries.length === 0
          ? {}
          : { Metrics: queries.map((each) => ({ MetricStat: { Metric: metric(each) } })) }),
      },
    },
  ]
}

function metric(of: Attributes): Values {
  const known = Object.entries(asValues(of.get('dimensions')))
  const referred = of.all('dimensions').map((id) => ({ Name: '', Value: id }))
  const Dimensions = [...known.map(([Name, Value]) => ({ Name, Value })), ...referred]
  return { Namespace: of.get('namespace'), MetricName: of.get('metric_name'), Dimensions }
}

function eventRule({ id, of }: Translation): readonly Translated[] {
  const off = of.get('is_enabled') === false || of.get('state') === 'DISABLED'
  return [
    {
      id,
      Type: 'AWS::Events::Rule',
      Properties: {
        Name: of.get('name'),
        ScheduleExpression: of.get('schedule_expression'),
        ...(off ? { State: 'DISABLED' } : {}),
      },
    },
  ]
}

function eventTarget({ of }: Translation): readonly Translated[] {
  const dead = of.block('dead_letter_config')?.to('arn')
  const target = {
    Arn: of.to('arn'),
    RoleArn: of.get('role_arn'),
    ...(dead === undefined ? {} : { DeadLetterConfig: { Arn: dead } }),
  }
  return [{ into: textOf(of.to('rule')), Properties: { Targets: [target] } }]
}

function schedule({ id, of }: Translation): readonly Translated[] {
  return [
    {
      id,
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: of.get('schedule_expression'),
        State: of.get('state'),
        Target: {
          Arn: of.block('target')?.to('arn'),
          DeadLetterConfig: { Arn: of.block('target')?.block('dead_letter_config')?.to('arn') },
        },
      },
    },
  ]
}

function notification({ of }: Translation): readonly Translated[] {
  const queues = of.blocks('queue').map((each) => ({ Queue: each.to('queue_arn') }))
  const functions = of
    .blocks('lambda_function')
    .map((each) => ({ Function: each.to('lambda_function_arn') }))
  return [
    {
      into: textOf(of.to('bucket')),
      Properties: {
        NotificationConfiguration: {
          QueueConfigurations: queues,
          LambdaConfigurations: functions,
        },
      },
    },
  ]
}

function lifecycle({ of }: Translation): readonly Translated[] {
  const Rules = of.blocks('rule').map((each) => ({
    Status: each.get('status'),
    Prefix: each.block('filter')?.get('prefix') ?? each.get('prefix'),
    ExpirationInDays: each.block('expiration')?.get('days'),
  }))
  return [{ into: textOf(of.to('bucket')), Properties: { LifecycleConfiguration: { Rules } } }]
}
