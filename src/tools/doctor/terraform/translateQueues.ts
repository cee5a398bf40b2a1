import type { Values } from '../template/resolve.ts'
import { type Attributes, texts } from './attributes.ts'
import type { Translated, Translation } from './translation.ts'

export function queue({ id, of, document }: Translation): readonly Translated[] {
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
export function redrive(of: Attributes): unknown {
  const written = of.json('redrive_policy')
  if (typeof written !== 'string') return written
  const [deadLetterTargetArn = written] = of.all('redrive_policy')
  return { deadLetterTargetArn, maxReceiveCount: written }
}

export function redriveAllow(of: Attributes): unknown {
  const written = of.json('redrive_allow_policy')
  if (typeof written !== 'string') return written
  const sources = of.all('redrive_allow_policy')
  return { redrivePermission: 'byQueue', sourceQueueArns: sources.length > 0 ? sources : [written] }
}

export function queuePolicy({ id, of, document }: Translation): readonly Translated[] {
  const Properties = { Queues: [of.to('queue_url')], PolicyDocument: document('policy') }
  return [{ id, Type: 'AWS::SQS::QueuePolicy', Properties }]
}

export function subscription({ id, of }: Translation): readonly Translated[] {
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

export function translateTable({ id, of }: Translation): readonly Translated[] {
  const ttl = of.block('ttl')
  const copies = of.blocks('replica')
  const ofOneCopy = {
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: of.block('point_in_time_recovery')?.get('enabled') ?? false,
    },
    DeletionProtectionEnabled: of.get('deletion_protection_enabled') ?? false,
  }
  const Replicas = [
    { Region: of.get('region') ?? '${its own Region}', ...ofOneCopy },
    ...copies.map((each) => ({ Region: each.get('region_name') })),
  ]
  const strong = copies.some((each) => each.get('consistency_mode') === 'STRONG')
  return [
    {
      id,
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        TableName: of.get('name'),
        KeySchema: keySchema(of),
        BillingMode: of.get('billing_mode') ?? 'PROVISIONED',
        TimeToLiveSpecification: {
          AttributeName: ttl?.get('attribute_name'),
          Enabled: ttl?.get('enabled') ?? false,
        },
        ...ofOneCopy,
        ...(copies.length === 0 ? {} : { Replicas }),
        ...(strong ? { MultiRegionConsistency: 'STRONG' } : {}),
        GlobalSecondaryIndexes: of.blocks('global_secondary_index').map(indexOf),
      },
    },
  ]
}

function indexOf(of: Attributes): Values {
  return {
    IndexName: of.get('name'),
    KeySchema: keySchema(of),
    Projection: {
      ProjectionType: of.get('projection_type'),
      NonKeyAttributes: texts(of.get('non_key_attributes')),
    },
  }
}

/** Two arguments, or blocks of an index since version 6 of the provider. */
function keySchema(of: Attributes): Values[] {
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
