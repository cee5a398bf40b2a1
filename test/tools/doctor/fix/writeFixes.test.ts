import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  diagnose,
  type DoctorFinding,
  type FixSection,
  readDeployment,
  writeFixes,
} from '../../../../src/tools/doctor/index.ts'
import { parseText } from '../../../../src/tools/doctor/input/parseText.ts'
import { planOf } from '../terraform/planOf.ts'

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'lineclear-'))
})
afterAll(() => rm(place, { recursive: true }))

interface Found {
  readonly findings: readonly DoctorFinding[]
  readonly sections: readonly FixSection[]
}

async function check(name: string, text: string): Promise<Found> {
  const file = join(place, name)
  await writeFile(file, text)
  const options = { tableName: 'lineclear', parameters: {} }
  const { deployment, files } = await readDeployment([file], options, (_, error) => error as Error)
  const findings = diagnose(deployment).filter(({ severity }) => severity !== 'unchecked')
  const fixes = findings.flatMap(({ fix = [] }) => fix)
  return { findings, sections: writeFixes(fixes, files) }
}

type Json = Record<string, unknown>

/** As a reader would: objects are merged, lists joined, texts replaced. */
function merge(a: Json, b: Json): Json {
  const merged: Json = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key]
    if (Array.isArray(before) && Array.isArray(value)) merged[key] = [...before, ...(value as [])]
    else if (isObject(before) && isObject(value)) merged[key] = merge(before, value)
    else merged[key] = value
  }
  return merged
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const rules = ({ findings }: Found): string[] => findings.map(({ rule }) => rule)

/** New queues and alarms have findings of their own, so it takes more than one round. */
const ROUNDS = 3

const STANDARD = `
Resources:
  Topic: { Type: AWS::SNS::Topic }
  Jobs: { Type: AWS::SQS::Queue, Properties: { QueueName: jobs, SqsManagedSseEnabled: false } }
  Subscription: { Type: AWS::SNS::Subscription, Properties: { Protocol: sqs, TopicArn: !Ref Topic, Endpoint: !GetAtt Jobs.Arn, RawMessageDelivery: true } }
  Role: { Type: AWS::IAM::Role, Properties: {} }
  Worker: { Type: AWS::Lambda::Function, Properties: { Timeout: 30, Runtime: nodejs18.x, Role: !GetAtt Role.Arn, RecursiveLoop: Allow } }
  Mapping: { Type: AWS::Lambda::EventSourceMapping, Properties: { FunctionName: !Ref Worker, EventSourceArn: !GetAtt Jobs.Arn, BatchSize: 100 } }
`
const SAM = `
Resources:
  Jobs: { Type: AWS::SQS::Queue, Properties: { QueueName: jobs, RedrivePolicy: { deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 3 } } }
  Dead: { Type: AWS::SQS::Queue }
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      Timeout: 30
      Runtime: nodejs20.x
      Events: { Queue: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn } } }
`

describe.each([
  ['CloudFormation', STANDARD],
  ['SAM', SAM],
])('the lines for %s', (_, text) => {
  it.each(['yaml', 'json'])('as %s remove every finding that they are for', async (language) => {
    let template = parseText(text).value as Json
    const write = (): string =>
      language === 'json' ? JSON.stringify(template) : JSON.stringify(template).replace('{', ' {')
    const before = await check(`t.${language}`, language === 'yaml' ? text : write())
    expect(rules(before).length).toBeGreaterThan(6)
    expect(before.sections.map((section) => section.language)).toEqual([language])
    let after = before
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { lines } of after.sections) {
        template = merge(template, parseText(lines.join('\n')).value as Json)
      }
      after = await check(`t${round}.json`, write())
    }
    // It cannot tell which alarms of the sweeper the operators want.
    expect(
      rules(after).filter((rule) => !['sweeper-alarm', 'recursion-alarm'].includes(rule)),
    ).toEqual([])
  })
})

const HCL = `
resource "aws_sns_topic" "t" { name = "t" }
resource "aws_sns_topic_subscription" "s" {
  protocol  = "sqs"
  topic_arn = aws_sns_topic.t.arn
  endpoint  = aws_sqs_queue.jobs.arn
}
resource "aws_sqs_queue" "jobs" { name = "jobs" }
resource "aws_lambda_function" "worker" {
  function_name = "worker"
  runtime       = "nodejs18.x"
  timeout       = 30
  role          = aws_iam_role.worker.arn
}
resource "aws_iam_role" "worker" { name = "worker" }
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.worker.arn
}
`

it('the lines for Terraform remove every finding that they are for', async () => {
  let source = HCL
  const read = async (): Promise<Found> =>
    check('plan.json', JSON.stringify(await planOf({ '.': source })))
  let after = await read()
  expect(rules(after).length).toBeGreaterThan(6)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { lines, language } of after.sections) {
      expect(language).toBe('hcl')
      source += `\n${lines.join('\n')}\n`
    }
    after = await read()
  }
  // A plan does not show what a policy made by jsonencode allows, so that stays a question.
  expect(
    after.findings.filter(({ rule }) => !/^(sweeper|recursion)-alarm$/.test(rule)),
  ).toMatchObject([{ rule: 'permissions-missing', severity: 'question' }])
})

it('a resource in a module is named as it is there, and what is elsewhere is left to be handed in', async () => {
  const sources = {
    '.': 'module "queues" { source = "./queues" }\nmodule "topic" { source = "./topic" }\nmodule "sub" {\n source = "./sub"\n topic = module.topic.arn\n queue = module.queues.arn\n}',
    queues: 'resource "aws_sqs_queue" "jobs" {}\noutput "arn" { value = aws_sqs_queue.jobs.arn }',
    topic: 'resource "aws_sns_topic" "t" {}\noutput "arn" { value = aws_sns_topic.t.arn }',
    sub: 'variable "topic" {}\nvariable "queue" {}\nresource "aws_sns_topic_subscription" "s" {\n protocol = "sqs"\n topic_arn = var.topic\n endpoint = var.queue\n}',
  }
  const { sections } = await check('plan.json', JSON.stringify(await planOf(sources)))
  const text = sections.map(({ within, lines }) => `# ${within}\n${lines.join('\n')}`).join('\n')
  expect(text).toContain('# module.sub\nresource "aws_sqs_queue" "sUndelivered"')
  expect(text).toContain('"aws:SourceArn" = "ARN of module.topic.aws_sns_topic.t"')
  expect(text).toContain('deadLetterTargetArn = aws_sqs_queue.sUndelivered.arn')
})

it('queues without a name of their own are not made to refer to each other, which would be a circle', async () => {
  const text = STANDARD.replace('QueueName: jobs, ', '')
  const { sections } = await check('c.yaml', text)
  const lines = sections.flatMap((section) => section.lines)
  expect(lines).toContain('  JobsDeadLetters:')
  expect(lines.join('\n')).not.toContain('RedriveAllowPolicy')
})

it('hostile names stay texts', async () => {
  const text = `Resources: { "a: b\\n#": { Type: AWS::SQS::Queue, Properties: { SqsManagedSseEnabled: false } } }`
  const { sections } = await check('h.yaml', text)
  expect(sections.flatMap(({ lines }) => lines)).toEqual([
    'Resources:',
    String.raw`  "a: b\n#": # line 1`.replace(' # line 1', ''),
    '    Properties:',
    '      SqsManagedSseEnabled: true',
  ])
})
