import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../../src/tools/doctor/rules/diagnose.ts'
import { fromTerraform } from '../from.ts'
import { planOf } from './planOf.ts'

const SOURCE = `
variable "seconds" { default = 30 }
locals { name = "jobs" }
resource "aws_sqs_queue" "jobs" {
  name                       = local.name
  visibility_timeout_seconds = var.seconds
  redrive_policy = jsonencode({ deadLetterTargetArn = aws_sqs_queue.dead.arn, maxReceiveCount = 3 })
}
resource "aws_sqs_queue" "dead" { message_retention_seconds = 1209600 }
resource "aws_sqs_queue_redrive_allow_policy" "dead" {
  queue_url            = aws_sqs_queue.dead.id
  redrive_allow_policy = jsonencode({ redrivePermission = "byQueue", sourceQueueArns = [aws_sqs_queue.jobs.arn] })
}
resource "aws_lambda_function" "worker" {
  function_name = local.name
  runtime       = "nodejs18.x"
  timeout       = 20
  role          = aws_iam_role.worker.arn
  environment {
    variables = { LINECLEAR_TABLE = aws_dynamodb_table.lineclear.name }
  }
}
resource "aws_iam_role" "worker" { name = local.name }
data "aws_iam_policy_document" "worker" {
  statement {
    actions   = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
    resources = [aws_sqs_queue.jobs.arn]
  }
}
resource "aws_iam_policy" "worker" { policy = data.aws_iam_policy_document.worker.json }
resource "aws_iam_role_policy_attachment" "worker" {
  role       = aws_iam_role.worker.name
  policy_arn = aws_iam_policy.worker.arn
}
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.worker.function_name
  scaling_config { maximum_concurrency = 5 }
}
resource "aws_dynamodb_table" "lineclear" {
  name         = "lineclear"
  hash_key     = "pk"
  range_key    = "sk"
  billing_mode = "PAY_PER_REQUEST"
  ttl {
    attribute_name = "ttl"
    enabled        = true
  }
  replica { region_name = "eu-west-1" }
}
resource "aws_cloudwatch_metric_alarm" "dead" {
  metric_name   = "ApproximateNumberOfMessagesVisible"
  namespace     = "AWS/SQS"
  dimensions    = { QueueName = aws_sqs_queue.dead.name }
  alarm_actions = [aws_sns_topic.alerts.arn]
}
resource "aws_sns_topic" "alerts" { name = "alerts" }
`

describe('a plan', () => {
  it('shows what refers to what, and settings that are known', () => {
    const read = fromTerraform(planOf({ '.': SOURCE }))
    expect(read.mappings).toMatchObject([
      {
        queue: 'aws_sqs_queue.jobs',
        function: 'aws_lambda_function.worker',
        itemFailures: 'ignored',
        scaling: 'limited',
      },
    ])
    expect(read.queues.toSorted((a, b) => b.id.localeCompare(a.id))).toMatchObject([
      {
        visibilityTimeout: 30,
        deadLetter: { queue: 'aws_sqs_queue.dead', maxReceiveCount: undefined },
      },
      { redriveAllow: { permission: 'byQueue', sources: ['aws_sqs_queue.jobs'] } },
    ])
    expect(read.functions).toMatchObject([{ runtime: 'nodejs18.x', role: 'aws_iam_role.worker' }])
    expect(read.tables).toMatchObject([
      {
        keys: ['pk', 'sk'],
        timeToLive: 'ttl',
        recovery: 'off',
        regions: ['${its own Region}', 'eu-west-1'],
      },
    ])
    expect(read.alarms).toMatchObject([{ of: ['aws_sqs_queue.dead'], actions: 1 }])
  })

  it('is judged by the same rules', () => {
    const findings = diagnose(fromTerraform(planOf({ '.': SOURCE })))
    const rules = findings.map(({ rule, severity }) => `${severity} ${rule}`)
    expect(rules).toEqual(
      expect.arrayContaining([
        'warning visibility-timeout',
        'error partial-failures',
        'error runtime',
        'error permissions-missing',
        'error table-index',
        'warning table-regions',
        'warning table-recovery',
      ]),
    )
    expect(findings.map(({ problem }) => problem)).toContain(
      'aws_lambda_function.worker may not sqs:ChangeMessageVisibility, sqs:SendMessage on aws_sqs_queue.jobs; sqs:SendMessage on aws_sqs_queue.dead; dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:PutItem, dynamodb:UpdateItem on aws_dynamodb_table.lineclear.',
    )
    expect(findings.map(({ problem }) => problem)).toContain(
      'Not checked: its maxReceiveCount is known only when it is deployed.',
    )
  })

  it('is followed through modules, their variables and outputs, and the keys of count', () => {
    const read = fromTerraform(
      planOf({
        '.': `
module "queue" {
  source  = "./queue"
  seconds = 60
}
module "worker" {
  source = "./worker"
  queue  = module.queue.arn
}
`,
        queue: `
variable "seconds" {}
resource "aws_sqs_queue" "this" {
  count                      = 2
  visibility_timeout_seconds = var.seconds
}
output "arn" { value = aws_sqs_queue.this[1].arn }
`,
        worker: `
variable "queue" {}
resource "aws_lambda_function" "this" { timeout = 11 }
resource "aws_lambda_event_source_mapping" "this" {
  event_source_arn = var.queue
  function_name    = aws_lambda_function.this.arn
}
`,
      }),
    )
    expect(read.mappings).toMatchObject([
      {
        queue: 'module.queue.aws_sqs_queue.this[1]',
        function: 'module.worker.aws_lambda_function.this',
      },
    ])
    expect(read.queues.map(({ visibilityTimeout }) => visibilityTimeout)).toEqual([60, 60])
    expect(diagnose(read).map(({ rule }) => rule)).toContain('visibility-timeout')
  })

  it('says that a mapping of a queue elsewhere was not checked', () => {
    const source = `
data "aws_sqs_queue" "jobs" { name = "jobs" }
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = data.aws_sqs_queue.jobs.arn
  function_name    = "worker"
}
resource "aws_lambda_event_source_mapping" "stream" {
  event_source_arn = aws_kinesis_stream.clicks.arn
  function_name    = "worker"
}
resource "aws_kinesis_stream" "clicks" { name = "clicks" }
`
    const unread = diagnose(fromTerraform(planOf({ '.': source }))).filter(
      ({ rule }) => rule === 'unread',
    )
    expect(unread.map(({ subject, problem }) => `${subject} ${problem}`)).toEqual([
      'aws_lambda_event_source_mapping.jobs Not checked: its queue ${aws_lambda_event_source_mapping.jobs.event_source_arn} is not here.',
      'aws_lambda_event_source_mapping.jobs Not checked: its function worker is not here.',
    ])
  })
})

it('a state is read by its ARNs and names, also where a queue, a function and a role have the same one', () => {
  const arn = (service: string, name: string) => `arn:aws:${service}:eu-west-1:111122223333:${name}`
  const resource = (type: string, name: string, values: object) => ({
    address: `${type}.${name}`,
    mode: 'managed',
    type,
    name,
    values,
  })
  const resources = [
    resource('aws_iam_role', 'jobs', { name: 'jobs', arn: 'arn:aws:iam::111122223333:role/jobs' }),
    resource('aws_lambda_function', 'jobs', {
      function_name: 'jobs',
      arn: arn('lambda', 'function:jobs'),
      role: 'arn:aws:iam::111122223333:role/jobs',
      runtime: 'nodejs22.x',
      timeout: 3,
    }),
    resource('aws_sqs_queue', 'jobs', {
      name: 'jobs',
      arn: arn('sqs', 'jobs'),
      redrive_policy: JSON.stringify({
        deadLetterTargetArn: arn('sqs', 'dead'),
        maxReceiveCount: 3,
      }),
      redrive_allow_policy: '',
      policy: '',
    }),
    resource('aws_sqs_queue', 'dead', { name: 'dead', arn: arn('sqs', 'dead') }),
    resource('aws_sqs_queue_redrive_allow_policy', 'dead', {
      queue_url: 'https://sqs.eu-west-1.amazonaws.com/111122223333/dead',
      redrive_allow_policy: JSON.stringify({
        redrivePermission: 'byQueue',
        sourceQueueArns: [arn('sqs', 'jobs')],
      }),
    }),
    resource('aws_lambda_event_source_mapping', 'jobs', {
      event_source_arn: arn('sqs', 'jobs'),
      function_name: 'jobs',
    }),
  ]
  const read = fromTerraform({ format_version: '1.0', values: { root_module: { resources } } })
  expect(read.mappings).toMatchObject([
    { queue: 'aws_sqs_queue.jobs', function: 'aws_lambda_function.jobs' },
  ])
  expect(read.functions).toMatchObject([{ role: 'aws_iam_role.jobs', region: 'eu-west-1' }])
  expect(read.queues).toMatchObject([
    { deadLetter: { queue: 'aws_sqs_queue.dead', maxReceiveCount: 3 } },
    { redriveAllow: { sources: ['aws_sqs_queue.jobs'] } },
  ])
})
