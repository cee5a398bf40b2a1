import { textOf } from '../template/resolve.ts'
import type { Translated, Translation } from './translation.ts'
import {
  queue,
  queuePolicy,
  redrive,
  redriveAllow,
  subscription,
  translateTable,
} from './translateQueues.ts'
import {
  alias,
  invokeConfig,
  lambdaFunction,
  mapping,
  attachment,
  role,
  rolePolicy,
} from './translateFunctions.ts'
import {
  alarm,
  eventRule,
  eventTarget,
  lifecycle,
  notification,
  schedule,
} from './translateEvents.ts'

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
