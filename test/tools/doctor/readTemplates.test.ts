import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { Deployment } from '../../../src/tools/doctor/deployment.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { readDeployment } from '../../../src/tools/doctor/input/readFiles.ts'

const places: string[] = []
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => rm(place, { recursive: true })))
})

/** Reads what is written to these files as one deployment; `give` are the paths on the command line, default all. */
async function read(
  files: Readonly<Record<string, string>>,
  {
    give = Object.keys(files),
    parameters = {},
  }: Partial<{ give: string[]; parameters: Record<string, string> }> = {},
): Promise<Deployment> {
  const place = await mkdtemp(join(tmpdir(), 'lineclear-'))
  places.push(place)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(place, name)), { recursive: true })
    await writeFile(join(place, name), text)
  }
  const paths = give.map((name) => join(place, name))
  const options = { tableName: 'lineclear', parameters }
  const { deployment } = await readDeployment(paths, options, (_path, error) => error as Error)
  return deployment
}

const SHORT = `
Parameters: { Seconds: { Type: Number }, Stage: { Type: String, Default: dev }, List: { Type: CommaDelimitedList, Default: 'a, b' } }
Mappings: { Stages: { dev: { Receives: 12 } } }
Conditions: { IsProd: !Equals [!Ref Stage, prod], NotProd: !Not [!Condition IsProd] }
Resources:
  Jobs:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub '\${Stage}-jobs'
      VisibilityTimeout: !Ref Seconds
      MessageRetentionPeriod: !If [IsProd, 1, 345600]
      FifoQueue: !If [NotProd, !Ref AWS::NoValue, true]
      RedrivePolicy:
        deadLetterTargetArn: !GetAtt Dead.Arn
        maxReceiveCount: !FindInMap [Stages, !Ref Stage, Receives]
  Dead: { Type: AWS::SQS::Queue }
  Spare: { Type: AWS::SQS::Queue, Condition: IsProd }
  Worker:
    Type: AWS::Lambda::Function
    Properties: { FunctionName: !Sub '\${Stage}-jobs', Timeout: 10, Runtime: nodejs22.x }
  Live: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref Worker, Name: live } }
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: !Join [':', [arn, aws, sqs, !Ref AWS::Region, !Ref AWS::AccountId, !Select [0, !Split ['/', 'dev-jobs/x']]]]
      FunctionName: !Ref Live
      FunctionResponseTypes: [ReportBatchItemFailures]
`

describe('YAML', () => {
  it('is read with the short forms of functions, in texts, lists and objects', async () => {
    const { queues, mappings, unread } = await read({ 'a.yaml': SHORT })
    expect(mappings[0]).toMatchObject({
      queue: 'Jobs',
      function: 'Worker',
      itemFailures: 'reported',
    })
    expect(queues[0]).toMatchObject({
      kind: 'standard',
      retention: 345_600,
      visibilityTimeout: undefined,
      deadLetter: { queue: 'Dead', maxReceiveCount: 12 },
    })
    expect(unread.map(({ subject }) => subject)).toEqual(['Spare'])
  })

  it('says what is known only when it is deployed, and checks it with the value of its parameter', async () => {
    const unknown = diagnose(await read({ 'a.yaml': SHORT }))
    expect(
      unknown.find(({ rule, subject }) => rule === 'unread' && subject === 'Jobs')?.problem,
    ).toBe('Not checked: its visibility timeout is known only when it is deployed.')
    const rules = async (seconds: string) =>
      diagnose(await read({ 'a.yaml': SHORT }, { parameters: { Seconds: seconds } })).map(
        ({ rule }) => rule,
      )
    expect(await rules('59')).toContain('visibility-timeout')
    expect(await rules('60')).not.toContain('visibility-timeout')
  })

  it.each([
    [
      'a resource',
      'Resources:\n  Jobs: { Type: A }\n  Other: { Type: A }\n  Jobs: { Type: B }\n',
      'Jobs',
      2,
      4,
    ],
    [
      'a property',
      'Resources:\n  Jobs:\n    Type: A\n    Properties:\n      A: 1\n      "A": 2\n',
      'A',
      5,
      6,
    ],
    ['a section', 'Resources: {}\nOutputs: {}\nResources: {}\n', 'Resources', 1, 3],
  ])('that has %s twice is refused, with both lines', async (_, text, key, first, second) => {
    await expect(read({ 'a.yaml': text })).rejects.toThrow(
      `it has the key ${key} twice, in line ${first} and in line ${second}`,
    )
  })

  it('of a resource, parameter or service with a name that all objects have, is no trap', async () => {
    const hostile = `
Parameters: { constructor: { Default: 7 } }
Resources:
  __proto__: { Type: AWS::SQS::Queue }
  toString: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: !Ref constructor, QueueName: !Ref valueOf } }
  Mapping: { Type: AWS::Lambda::EventSourceMapping, Properties: { EventSourceArn: 'arn:aws:constructor:eu-west-1:1:x' } }
`
    const { queues } = await read({ 'a.yaml': hostile })
    expect(queues.map(({ id, visibilityTimeout }) => [id, visibilityTimeout])).toEqual([
      ['__proto__', 30],
      ['toString', 7],
    ])
  })
})

const SAM = `
Transform: AWS::Serverless-2016-10-31
Globals: { Function: { Runtime: nodejs20.x, Timeout: 20, Policies: [AmazonS3ReadOnlyAccess] } }
Resources:
  Table: { Type: AWS::Serverless::SimpleTable, Properties: { TableName: lineclear, PrimaryKey: { Name: pk, Type: String } } }
  Topic: { Type: AWS::SNS::Topic }
  Jobs: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: 120 } }
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      Policies:
        - SQSSendMessagePolicy: { QueueName: !GetAtt Jobs.QueueName }
        - DynamoDBCrudPolicy: { TableName: !Ref Table }
        - Statement: [{ Effect: Allow, Action: sqs:ChangeMessageVisibility, Resource: !GetAtt Jobs.Arn }]
      Events:
        Queue: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, FunctionResponseTypes: [ReportBatchItemFailure] } }
        Own: { Type: SNS, Properties: { Topic: !Ref Topic, SqsSubscription: true } }
        Direct: { Type: SNS, Properties: { Topic: !Ref Topic } }
        Tick: { Type: Schedule, Properties: { Schedule: rate(1 minute) } }
        Late: { Type: ScheduleV2, Properties: { ScheduleExpression: cron(0 3 * * ? *) } }
        Stream: { Type: DynamoDB, Properties: { Stream: 'arn:aws:dynamodb:a:1:table/t/stream/1' } }
`

describe('SAM', () => {
  it('makes functions with globals, implicit roles, and what their events stand for', async () => {
    const read1 = await read({ 'template.yaml': SAM })
    expect(read1.functions).toEqual([
      {
        id: 'Worker',
        timeout: 20,
        recursiveLoop: 'Terminate',
        runtime: 'nodejs20.x',
        role: 'WorkerRole',
        marks: { variables: [] },
      },
    ])
    expect(read1.mappings.map(({ id, queue, itemFailures }) => [id, queue, itemFailures])).toEqual([
      ['WorkerQueue', 'Jobs', 'ignored'],
      ['WorkerOwnEventSourceMapping', 'WorkerOwnQueue', 'ignored'],
    ])
    expect(read1.subscriptions).toMatchObject([{ id: 'WorkerOwn', queue: 'WorkerOwnQueue' }])
    expect(read1.schedules).toEqual(['Worker', 'Worker'])
    expect(read1.invokers.map(({ id }) => id)).toEqual(['WorkerLate', 'WorkerDirect'])
    expect(read1.tables).toMatchObject([{ id: 'Table', keys: ['pk'], billing: 'on demand' }])
    expect(read1.unread).toEqual([])
  })

  it('grants what policies, their templates and the transform grant', async () => {
    const findings = diagnose(await read({ 'template.yaml': SAM }))
    const missing = findings.find(({ rule }) => rule === 'permissions-missing')
    expect(missing?.problem).toBe(
      'Worker may not sqs:ChangeMessageVisibility, sqs:SendMessage on WorkerOwnQueue.',
    )
    const wide = findings.filter(({ rule }) => rule === 'permissions-wide')
    expect(wide.map(({ problem }) => problem)).toEqual(['It allows dynamodb:Scan.'])
  })

  it('of an old runtime, a misspelt response type and a topic without dead letters is found', async () => {
    const rules = diagnose(await read({ 'template.yaml': SAM })).map(
      ({ rule, subject }) => `${rule} ${subject}`,
    )
    expect(rules).toEqual(
      expect.arrayContaining([
        'runtime Worker',
        'partial-failures WorkerQueue',
        'subscription-dead-letter WorkerOwn',
      ]),
    )
  })
})

const QUEUES = `
Resources:
  Jobs: { Type: AWS::SQS::Queue, Properties: { QueueName: jobs, VisibilityTimeout: 10 } }
  Table: { Type: AWS::DynamoDB::Table, Properties: { TableName: lineclear } }
Outputs: { Jobs: { Value: !GetAtt Jobs.Arn, Export: { Name: jobs-arn } } }
`
const CONSUMER = (arn: string) => `
Resources:
  Worker: { Type: AWS::Lambda::Function, Properties: { Timeout: 10, Runtime: nodejs22.x } }
  Mapping: { Type: AWS::Lambda::EventSourceMapping, Properties: { FunctionName: !Ref Worker, EventSourceArn: ${arn} } }
`

describe('several templates', () => {
  it.each([
    ['an export', '!ImportValue jobs-arn'],
    ['an ARN', 'arn:aws:sqs:eu-west-1:111122223333:jobs'],
  ])('are judged together: %s', async (_, arn) => {
    const deployment = await read({ 'queues.yaml': QUEUES, 'consumer.yaml': CONSUMER(arn) })
    expect(deployment.mappings[0]?.queue).toBe('queues.Jobs')
    const rules = diagnose(deployment).map(({ rule }) => rule)
    expect(rules).toContain('visibility-timeout')
    expect(rules).not.toContain('table')
  })

  it('alone, a table is a question and its queue is not checked', async () => {
    const findings = diagnose(await read({ 'consumer.yaml': CONSUMER('!ImportValue jobs-arn') }))
    expect(findings.find(({ rule }) => rule === 'table')?.severity).toBe('question')
    expect(findings.map(({ problem }) => problem)).toContain(
      'Not checked: its queue ${jobs-arn} is not here.',
    )
  })

  it('a nested stack is read from its file, with its parameters and outputs', async () => {
    const parent = `
Resources:
  Queues: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: ./nested/queues.yaml, Parameters: { Seconds: 12 } } }
  Gone: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: 'https://s3/x' } }
  Worker: { Type: AWS::Lambda::Function, Properties: { Timeout: 10 } }
  Mapping: { Type: AWS::Lambda::EventSourceMapping, Properties: { FunctionName: !Ref Worker, EventSourceArn: !GetAtt Queues.Outputs.Arn } }
`
    const nested = `
Parameters: { Seconds: { Type: Number, Default: 1 } }
Resources: { Jobs: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: !Ref Seconds } } }
Outputs: { Arn: { Value: !GetAtt Jobs.Arn } }
`
    const files = { 'a.yaml': parent, 'nested/queues.yaml': nested }
    const { queues, mappings, unread } = await read(files, { give: ['a.yaml'] })
    expect(mappings[0]?.queue).toBe('Queues.Jobs')
    expect(queues).toMatchObject([{ id: 'Queues.Jobs', visibilityTimeout: 12 }])
    expect(unread.map(({ subject }) => subject)).toEqual(['Gone'])
  })

  it('a circle of parameters and outputs ends', async () => {
    const circle = `
Resources:
  A: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: ./n.yaml, Parameters: { In: !GetAtt B.Outputs.Out } } }
  B: { Type: AWS::CloudFormation::Stack, Properties: { TemplateURL: ./n.yaml, Parameters: { In: !GetAtt A.Outputs.Out } } }
`
    const nested = `
Parameters: { In: { Type: String } }
Resources: { Jobs: { Type: AWS::SQS::Queue, Properties: { VisibilityTimeout: !Ref In } } }
Outputs: { Out: { Value: !Ref In } }
`
    const { queues } = await read({ 'a.yaml': circle, 'n.yaml': nested }, { give: ['a.yaml'] })
    expect(queues.map(({ visibilityTimeout }) => visibilityTimeout)).toEqual([undefined, undefined])
  })
})

it('the folder of the CDK is read with all its stacks and their Regions', async () => {
  const manifest = {
    version: '1',
    artifacts: {
      Q: {
        type: 'aws:cloudformation:stack',
        environment: 'aws://111122223333/eu-west-1',
        properties: { templateFile: 'Q.template.json' },
      },
      W: {
        type: 'aws:cloudformation:stack',
        environment: 'aws://111122223333/us-east-1',
        properties: { templateFile: 'W.template.json' },
      },
      Assets: { type: 'cdk:asset-manifest', properties: { file: 'Q.assets.json' } },
    },
  }
  const deployment = await read(
    {
      'cdk.out/manifest.json': JSON.stringify(manifest),
      'cdk.out/Q.template.json': QUEUES,
      'cdk.out/W.template.json': CONSUMER('!ImportValue jobs-arn'),
    },
    { give: ['cdk.out'] },
  )
  const regions = [...deployment.queues, ...deployment.functions].map(({ region }) => region)
  expect(regions).toEqual(['eu-west-1', 'us-east-1'])
  expect(deployment.mappings[0]?.queue).toBe('Q.Jobs')
})

describe('what is none', () => {
  it.each([
    ['an empty file', '', 'it has no Resources'],
    ['Terraform', 'resource "aws_sqs_queue" "jobs" {\n}\n', 'it has no Resources'],
    ['its plan', 'PK\u0000', 'it is no text'],
    ['its state', '{"terraform_version":"1.9.0","serial":1}', 'it has no Resources'],
    ['another file', 'services: { web: { image: a } }', 'it has no Resources'],
    ['a list', '[1]', 'it has no Resources'],
    ['malformed YAML', 'Resources: {', 'at line 1'],
    ['a bomb of aliases', bomb(), 'alias'],
  ])('%s is refused', async (_, text, why) => {
    await expect(read({ 'a.txt': text })).rejects.toThrow(why)
  })
})

function bomb(): string {
  const lines = Array.from(
    { length: 9 },
    (_, at) =>
      `a${at + 1}: &a${at + 1} [*a${at}, *a${at}, *a${at}, *a${at}, *a${at}, *a${at}, *a${at}, *a${at}]`,
  )
  return ['a0: &a0 [x]', ...lines, 'Resources: { A: *a9 }'].join('\n')
}
