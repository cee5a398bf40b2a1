import type { DeployedTable } from '../deployment.ts'
import { type Fix, nameFor } from '../fix.ts'
import { type Expression, type HclBlock, hclText, type HclValue } from './hclText.ts'

/**
 * Blocks of HCL: arguments of a resource that is there, or a resource to add.
 * @param isHere whether an id is an address in the same configuration
 */
export function terraform(fix: Fix, isHere: (id: string) => boolean): readonly HclBlock[] {
  if ('change' in fix) return changed(fix, isHere)
  if (fix.add === 'queue') return newQueue(fix)
  if (fix.add === 'alarm') return [alarm(fix)]
  if (fix.add === 'table') return [table('lineclear', { name: 'lineclear' }, fix.to)]
  if (fix.add === 'statement') return [statement(fix, isHere)]
  return [queuePolicy(fix, referTo(isHere))]
}

type Refer = (id: string, attribute: string) => HclValue

/** What is in another module or file has to be handed in. */
function referTo(isHere: (id: string) => boolean): Refer {
  return (id, attribute) =>
    isHere(id) ? reference(id, attribute) : id.startsWith('arn:') ? id : `ARN of ${id}`
}

/** A queue that is to be added has no address yet. */
function reference(id: string, attribute: string): Expression {
  return { hcl: `${id.includes('.') ? id : `aws_sqs_queue.${id}`}.${attribute}` }
}

function changed(
  fix: Extract<Fix, { change: string }>,
  isHere: (id: string) => boolean,
): readonly HclBlock[] {
  const { id } = fix
  const refer = referTo(isHere)
  const of = (type: string, given: HclBlock['arguments'], blocks: HclBlock['blocks'] = []) => ({
    type,
    name: nameIn(id),
    arguments: given,
    blocks,
  })
  if (fix.change === 'function') {
    const { runtime, recursiveLoop } = fix.to
    const own = runtime === undefined ? [] : [of('aws_lambda_function', { runtime })]
    if (recursiveLoop === undefined) return own
    const config = { function_name: reference(id, 'function_name'), recursive_loop: recursiveLoop }
    return [...own, of('aws_lambda_function_recursion_config', config)]
  }
  if (fix.change === 'subscription') {
    const { deadLetter, delivery } = fix.to
    return [
      of('aws_sns_topic_subscription', {
        raw_message_delivery: delivery === undefined ? undefined : delivery === 'raw',
        redrive_policy:
          deadLetter === undefined
            ? undefined
            : json({ deadLetterTargetArn: refer(deadLetter, 'arn') }),
      }),
    ]
  }
  if (fix.change === 'table') return [table(nameIn(id), {}, fix.to)]
  if (fix.change === 'mapping') {
    const { batchSize, window, itemFailures, maximumConcurrency } = fix.to
    return [
      of(
        'aws_lambda_event_source_mapping',
        {
          batch_size: batchSize,
          maximum_batching_window_in_seconds: window,
          function_response_types:
            itemFailures === undefined ? undefined : ['ReportBatchItemFailures'],
        },
        maximumConcurrency === undefined
          ? []
          : [['scaling_config', { maximum_concurrency: maximumConcurrency }]],
      ),
    ]
  }
  return queue(fix, refer)
}

function queue(fix: Extract<Fix, { change: 'queue' }>, refer: Refer): readonly HclBlock[] {
  const { visibilityTimeout, retention, deadLetter, redriveAllow, encryption, kind } = fix.to
  const name = nameIn(fix.id)
  const own = {
    fifo_queue: kind === undefined ? undefined : kind === 'fifo',
    visibility_timeout_seconds: visibilityTimeout,
    message_retention_seconds: retention,
    sqs_managed_sse_enabled: encryption === 'sqs' ? true : undefined,
    redrive_policy:
      deadLetter === undefined
        ? undefined
        : json({
            deadLetterTargetArn: refer(deadLetter.queue, 'arn'),
            maxReceiveCount: deadLetter.maxReceiveCount,
          }),
  }
  const isSet = Object.values(own).some((each) => each !== undefined)
  return [
    ...(isSet ? [{ type: 'aws_sqs_queue', name, arguments: own }] : []),
    ...(redriveAllow === undefined
      ? []
      : [
          allow(
            name,
            fix.id,
            redriveAllow.sources.map((each) => refer(each, 'arn')),
          ),
        ]),
  ]
}

/** A resource of its own, because the queues refer to each other. */
function allow(name: string, id: string, sources: readonly HclValue[]): HclBlock {
  return {
    type: 'aws_sqs_queue_redrive_allow_policy',
    name,
    arguments: {
      queue_url: reference(id, 'id'),
      redrive_allow_policy: json({ redrivePermission: 'byQueue', sourceQueueArns: sources }),
    },
  }
}

function newQueue({ id, kind, source }: Extract<Fix, { add: 'queue' }>): readonly HclBlock[] {
  const own = {
    type: 'aws_sqs_queue',
    name: id,
    arguments: {
      fifo_queue: kind === 'fifo' ? true : undefined,
      message_retention_seconds: 1_209_600,
      sqs_managed_sse_enabled: true,
    },
  }
  return source === undefined ? [own] : [own, allow(id, id, [reference(source, 'arn')])]
}

function table(name: string, given: HclBlock['arguments'], to: Partial<DeployedTable>): HclBlock {
  const { timeToLive, recovery, deletion, billing, indexes = [], keys } = to
  const attributes =
    indexes.length === 0 ? [] : [...(keys ?? []), ...indexes.flatMap((each) => each.keys)]
  return {
    type: 'aws_dynamodb_table',
    name,
    arguments: {
      ...given,
      billing_mode: billing === 'on demand' ? 'PAY_PER_REQUEST' : undefined,
      hash_key: keys?.[0],
      range_key: keys?.[1],
      deletion_protection_enabled: deletion === 'protected' ? true : undefined,
    },
    blocks: [
      ...attributes.map(
        (each) => ['attribute', { name: each, type: each === 'dueAt' ? 'N' : 'S' }] as const,
      ),
      ...indexes.map(
        (each) =>
          [
            'global_secondary_index',
            {
              name: each.name,
              hash_key: each.keys[0],
              range_key: each.keys[1],
              projection_type: each.projection,
              non_key_attributes: each.attributes,
            },
          ] as const,
      ),
      ...(timeToLive === undefined
        ? []
        : [['ttl', { attribute_name: timeToLive, enabled: true }] as const]),
      ...(recovery === 'on' ? [['point_in_time_recovery', { enabled: true }] as const] : []),
    ],
  }
}

function alarm({ of, id, metric, threshold }: Extract<Fix, { add: 'alarm' }>): HclBlock {
  const isQueue = of === 'queue'
  const name = nameFor(id, `${metric}Alarm`)
  return {
    type: 'aws_cloudwatch_metric_alarm',
    name,
    arguments: {
      alarm_name: name,
      namespace: isQueue ? 'AWS/SQS' : 'AWS/Lambda',
      metric_name: metric,
      dimensions: isQueue
        ? { QueueName: reference(id, 'name') }
        : { FunctionName: reference(id, 'function_name') },
      statistic: isQueue ? 'Maximum' : 'Sum',
      period: 60,
      evaluation_periods: 1,
      comparison_operator: 'GreaterThanThreshold',
      threshold,
      treat_missing_data: 'notBreaching',
      alarm_actions: ['ARN of the topic that reaches the engineer on call'],
    },
  }
}

function statement(
  { id, allowed }: Extract<Fix, { add: 'statement' }>,
  isHere: (id: string) => boolean,
): HclBlock {
  const refer = referTo(isHere)
  return {
    type: 'aws_iam_role_policy',
    name: nameFor(id, 'Lineclear'),
    arguments: {
      role: reference(id, 'id'),
      policy: json({
        Version: '2012-10-17',
        Statement: allowed.map(({ actions, resource }) => ({
          Effect: 'Allow',
          Action: actions,
          Resource: refer(resource, 'arn'),
        })),
      }),
    },
  }
}

function queuePolicy(
  { id, service, source }: Extract<Fix, { add: 'queue policy' }>,
  refer: Refer,
): HclBlock {
  return {
    type: 'aws_sqs_queue_policy',
    name: nameFor(id, 'Policy'),
    arguments: {
      queue_url: reference(id, 'id'),
      policy: json({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: service },
            Action: 'sqs:SendMessage',
            Resource: reference(id, 'arn'),
            Condition: {
              ArnEquals: {
                'aws:SourceArn': refer(source, 'arn'),
              },
            },
          },
        ],
      }),
    },
  }
}

function json(value: HclValue): Expression {
  return { hcl: `jsonencode(${hclText(value)})` }
}

/** The local name in an address: `module.a.aws_sqs_queue.jobs["x"]` is `jobs`. */
function nameIn(id: string): string {
  return (
    id
      .replace(/\[[^\]]*\]$/, '')
      .split('.')
      .at(-1) ?? id
  )
}
