import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate, fromTerraform } from './from.ts'

const arn = (id: string): object => ({ 'Fn::GetAtt': [id, 'Arn'] })
const queue = (more: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: more })
const subscriber = (TargetArn: unknown, more: object = {}) => ({
  Type: 'AWS::EventsV2::Subscriber',
  Properties: { Name: 'moved', InvokeConfiguration: { TargetArn, RoleArn: 'role' }, ...more },
})
const onFailure = (id: string) => ({ OnFailureConfiguration: { Arn: arn(id) } })
const RULE = 'subscriber-dead-letter'

describe('a subscriber of a Custom Event Bus', () => {
  const problems = (Resources: object): readonly string[] =>
    diagnose(fromTemplate({ Resources: { Jobs: queue(), Lost: queue(), ...Resources } }))
      .filter(({ rule }) => rule === RULE)
      .map(({ subject, severity, problem }) => `${severity} ${subject}: ${problem}`)

  it.each<[what: string, target: unknown]>([
    ['to a queue', arn('Jobs')],
    ['to a queue elsewhere', 'arn:aws:sqs:eu-west-1:111122223333:other'],
    ['to a function', 'arn:aws:lambda:eu-west-1:111122223333:function:worker'],
    ['to what is known only when it is deployed', { 'Fn::ImportValue': 'target' }],
  ])('%s needs an OnFailureConfiguration', (_what, target) => {
    const wrong = ['error Moved: It has no OnFailureConfiguration.']
    expect(problems({ Moved: subscriber(target) })).toEqual(wrong)
    expect(problems({ Moved: subscriber(target, { OnFailureConfiguration: {} }) })).toEqual(wrong)
    expect(problems({ Moved: subscriber(target, onFailure('Lost')) })).toEqual([])
  })

  it('to a stream or a bus is none of a consumer', () => {
    const stream = 'arn:aws:kinesis:eu-west-1:111122223333:stream/s'
    const bus = 'arn:aws:events:eu-west-1:111122223333:event-busv2/b/1'
    expect(problems({ A: subscriber(stream), B: subscriber(bus) })).toEqual([])
    expect(problems({ C: subscriber(arn('T')), T: { Type: 'AWS::SNS::Topic' } })).toEqual([])
  })

  it('needs a queue other than that of the dead letters', () => {
    const RedrivePolicy = { deadLetterTargetArn: arn('Lost'), maxReceiveCount: 10 }
    const Jobs = queue({ RedrivePolicy })
    expect(problems({ Jobs, Moved: subscriber(arn('Jobs'), onFailure('Lost')) })).toEqual([
      'error Moved: What it cannot deliver goes to the dead-letter queue of Jobs itself.',
    ])
  })

  it('has a queue that needs no consumer', () => {
    const Moved = subscriber(arn('Jobs'), onFailure('Lost'))
    const { unread } = fromTemplate({ Resources: { Jobs: queue(), Lost: queue(), Moved } })
    expect(unread.map(({ subject }) => subject)).toEqual(['Jobs'])
  })

  it('in a plan of Terraform needs one too', () => {
    const planned = (more: object) => ({
      format_version: '1.2',
      planned_values: {
        root_module: {
          resources: [
            {
              address: 'awscc_eventsv2_subscriber.moved',
              mode: 'managed',
              type: 'awscc_eventsv2_subscriber',
              name: 'moved',
              values: { invoke_configuration: { target_arn: 'arn:aws:sqs:a:1:jobs' }, ...more },
            },
          ],
        },
      },
      configuration: { root_module: { resources: [] } },
    })
    const found = (more: object) =>
      diagnose(fromTerraform(planned(more))).filter(({ rule }) => rule === RULE).length
    expect(found({})).toBe(1)
    expect(found({ on_failure_configuration: { arn: 'arn:aws:sqs:a:1:lost' } })).toBe(0)
    const { subscribers } = fromTerraform(
      planned({
        transformer: { type: 'WITH_METADATA' },
        batch_configuration: { max_batch_size: 1 },
      }),
    )
    expect(subscribers).toMatchObject([{ identity: 'delivered', batch: 'one event' }])
    const MessageAttributes = { message_attributes: { uniquerequestid: { data_type: 'String' } } }
    const invoke = { target_arn: 'arn:aws:sqs:a:1:jobs', sqs_parameters: MessageAttributes }
    expect(fromTerraform(planned({ invoke_configuration: invoke })).subscribers).toMatchObject([
      { identity: 'delivered', batch: 'several' },
    ])
  })
})

describe('what a subscriber delivers', () => {
  const Mapping = {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: 'f', EventSourceArn: arn('Jobs') },
  }
  const found = (Resources: object): readonly string[] =>
    diagnose(fromTemplate({ Resources: { Jobs: queue(), ...Resources } }))
      .filter(({ rule }) => /^subscriber-(?:identity|batch)$/.test(rule))
      .map(({ rule, severity, subject }) => `${severity} ${rule} ${subject}`)

  it.each([
    ['nothing about it', {}, ['question subscriber-identity Moved']],
    ['an expression', { Transformer: { Type: 'JSONATA' } }, ['question subscriber-identity Moved']],
    ['its metadata', { Transformer: { Type: 'WITH_METADATA' } }, []],
  ])('to a queue has an identity, by %s', (_what, more, findings) => {
    const Moved = subscriber(arn('Jobs'), more)
    expect(found({ Moved, Mapping })).toEqual(findings)
    expect(found({ Moved })).toEqual([])
  })

  it('to a queue has an identity by an attribute', () => {
    const MessageAttributes = {
      uniquerequestid: {
        DataType: 'String',
        StringValue: '{% $events.SystemMetadata."aws:EventId" %}',
      },
    }
    const stamped = (attributes: object) => {
      const { Type, Properties } = subscriber(arn('Jobs'))
      const { InvokeConfiguration } = Properties
      const SqsParameters = { MessageAttributes: attributes }
      return {
        Type,
        Properties: { InvokeConfiguration: { ...InvokeConfiguration, SqsParameters } },
      }
    }
    expect(found({ Moved: stamped(MessageAttributes), Mapping })).toEqual([])
    expect(found({ Moved: stamped({}), Mapping })).toHaveLength(1)
  })

  const called = {
    Worker: { Type: 'AWS::Lambda::Function', Properties: { Role: arn('Role') } },
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: { TableName: 'lineclear', KeySchema: [{ AttributeName: 'pk' }] },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [
          {
            PolicyDocument: {
              Statement: [
                { Effect: 'Allow', Action: 'dynamodb:UpdateItem', Resource: arn('Table') },
              ],
            },
          },
        ],
      },
    },
  }
  it.each([
    ['no size', {}, ['warning subscriber-batch Moved']],
    ['ten', { MaxBatchSize: 10 }, ['warning subscriber-batch Moved']],
    ['one', { MaxBatchSize: '1' }, []],
    ['what is known only when it is deployed', { MaxBatchSize: { 'Fn::ImportValue': 'x' } }, []],
  ])('to a function of Lineclear is one event: %s', (_what, BatchConfiguration, findings) => {
    const Moved = subscriber(arn('Worker'), { BatchConfiguration })
    expect(found({ ...called, Moved })).toEqual(findings)
    const { Role: _role, ...foreign } = called
    expect(found({ ...foreign, Moved })).toEqual([])
  })
})

describe('a dead-letter queue that takes less than its source', () => {
  const found = (source: object, dead: object): readonly string[] => {
    const RedrivePolicy = { deadLetterTargetArn: arn('Dead'), maxReceiveCount: 10 }
    const Mapping = {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: 'f', EventSourceArn: arn('Jobs') },
    }
    const Resources = { Jobs: queue({ RedrivePolicy, ...source }), Dead: queue(dead), Mapping }
    return diagnose(fromTemplate({ Resources }))
      .filter(({ rule }) => rule === 'dead-letter-size')
      .map(({ subject, problem }) => `${subject}: ${problem}`)
  }
  const bytes = (MaximumMessageSize: unknown): object => ({ MaximumMessageSize })

  it('is found where the template says so', () => {
    const wrong = (from: number) => [
      `Dead: It takes messages of 262144 bytes, its source Jobs of ${from} bytes.`,
    ]
    expect(found(bytes(1_048_576), bytes(262_144))).toEqual(wrong(1_048_576))
    expect(found(bytes(300_000), bytes('262144'))).toEqual(wrong(300_000))
    expect(found({}, bytes(262_144))).toEqual(wrong(1_048_576))
  })

  it.each([
    ['both take the same', bytes(262_144), bytes(262_144)],
    ['it takes more', bytes(262_144), bytes(1_048_576)],
    ['neither says', {}, {}],
    ['only the source says', bytes(262_144), {}],
    ['one is known only when it is deployed', bytes({ 'Fn::ImportValue': 'x' }), bytes(262_144)],
  ])('is not, where %s', (_what, source, dead) => {
    expect(found(source, dead)).toEqual([])
  })
})

describe('a mapping with a filter', () => {
  const found = (pattern: object): readonly string[] => {
    const Properties = {
      FunctionName: 'f',
      EventSourceArn: arn('Jobs'),
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify(pattern) }] },
    }
    const Mapping = { Type: 'AWS::Lambda::EventSourceMapping', Properties }
    return diagnose(fromTemplate({ Resources: { Jobs: queue(), Mapping } }))
      .filter(({ rule }) => rule.startsWith('event-filter'))
      .map(({ rule, severity }) => `${severity} ${rule}`)
  }

  it.each([
    ['bodies', { body: { kind: ['a'] } }, ['question event-filter-redrive']],
    ['attributes', { messageAttributes: { kind: ['a'] } }, ['question event-filter-redrive']],
    ['where it is sent', { awsRegion: ['eu-west-1'] }, []],
    ['what copies change', { messageAttributes: { lineclear: ['a'] } }, ['error event-filter']],
  ])('that reads %s', (_what, pattern, findings) => {
    expect(found(pattern)).toEqual(findings)
  })
})

it.each([
  ['nodejs26.x', 'warning runtime-preview'],
  ['nodejs28.x', 'warning runtime-preview'],
  ['nodejs24.x', undefined],
  ['nodejs22.x', undefined],
  ['nodejs20.x', 'error runtime'],
  ['python3.14', 'note runtime'],
  ['provided.al2023', undefined],
])('the runtime %s of a consumer is a finding: %s', (Runtime, expected) => {
  const Environment = { Variables: { LINECLEAR_TABLE: 'lineclear' } }
  const Worker = { Type: 'AWS::Lambda::Function', Properties: { Runtime, Environment } }
  const Mapping = {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: arn('Worker'), EventSourceArn: arn('Jobs') },
  }
  const [found] = diagnose(fromTemplate({ Resources: { Jobs: queue(), Mapping, Worker } })).filter(
    ({ rule }) => rule.startsWith('runtime'),
  )
  expect(found && `${found.severity} ${found.rule}`).toBe(expected)
})
