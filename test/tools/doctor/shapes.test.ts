import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from './from.ts'

// Shapes that public templates have, each of which was judged wrongly once.

const arn = (id: string): object => ({ 'Fn::GetAtt': [id, 'Arn'] })
const found = (Resources: object): string[] =>
  diagnose(fromTemplate({ Resources })).map(({ rule, subject, problem }) =>
    rule === 'unread' ? `${subject} ${problem}` : `${rule} ${subject}`,
  )

const MARKED = { Environment: { Variables: { LINECLEAR_TABLE: 'lineclear' } } }
const consumer = (role: object, more: object = {}) => ({
  Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
  Worker: {
    Type: 'AWS::Lambda::Function',
    Properties: { Runtime: 'nodejs22.x', Role: arn('Role'), ...MARKED, ...more },
  },
  Role: { Type: 'AWS::IAM::Role', Properties: role },
  Mapping: {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: { FunctionName: { Ref: 'Worker' }, EventSourceArn: arn('Jobs') },
  },
})
const allows = (Action: unknown, Resource: unknown) => ({
  Policies: [{ PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource }] } }],
})

describe('permissions', () => {
  it.each([
    ['arn:aws:sqs:*'],
    ['arn:aws:sqs:*:*:*'],
    [{ 'Fn::Sub': 'arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:*' }],
  ])('on all queues, as %s, are enough, and too wide', (resource) => {
    const rules = found(consumer(allows('sqs:SendMessage', resource)))
    expect(rules).toContain('permissions-wide Role')
    const [missing] = diagnose(
      fromTemplate({ Resources: consumer(allows(['sqs:SendMessage'], resource)) }),
    ).filter(({ rule }) => rule === 'permissions-missing')
    expect(missing?.problem).not.toContain('sqs:SendMessage')
  })

  it('on queues whose names begin alike are a question', () => {
    const Resources = consumer(allows('sqs:*', 'arn:aws:sqs:*:*:jobs-*'))
    const missing = diagnose(fromTemplate({ Resources })).find(
      ({ rule }) => rule === 'permissions-missing',
    )
    expect(missing?.severity).toBe('question')
  })

  it('of network interfaces, which have no names, are not too wide', () => {
    expect(found(consumer(allows('ec2:CreateNetworkInterface', '*')))).not.toContain(
      'permissions-wide Role',
    )
  })

  it('of a policy of AWS are known in every partition, and are not the fault of the role', () => {
    const name = 'iam::aws:policy/service-role/AWSLambdaSQSQueueExecutionRole'
    const ManagedPolicyArns = [{ 'Fn::Sub': `arn:\${AWS::Partition}:${name}` }]
    const findings = diagnose(fromTemplate({ Resources: consumer({ ManagedPolicyArns }) }))
    expect(findings.find(({ rule }) => rule === 'permissions-missing')).toMatchObject({
      severity: 'error',
      problem: 'Worker may not sqs:ChangeMessageVisibility, sqs:SendMessage on Jobs.',
    })
    expect(findings.map(({ rule }) => rule)).not.toContain('permissions-wide')
  })

  it('of another account are a question', () => {
    const ManagedPolicyArns = ['arn:aws:iam::111122223333:policy/consumers']
    const findings = diagnose(fromTemplate({ Resources: consumer({ ManagedPolicyArns }) }))
    expect(findings.find(({ rule }) => rule === 'permissions-missing')?.severity).toBe('question')
  })

  it.each([
    [{ Policy: { Type: 'AWS::Serverless::Connector', Properties: { Source: { Id: 'Worker' } } } }],
    [{ Jobs: { ...consumer({}).Jobs, Type: 'AWS::SQS::Queue' } }, { Jobs: {} }],
  ])('of a connector of SAM are a question: %j', (more, Connectors: object = {}) => {
    const { Role: _, Worker, ...rest } = consumer({})
    const { Role: __, ...Properties } = Worker.Properties
    const Sam = { Type: 'AWS::Serverless::Function', Properties, Connectors }
    const findings = diagnose(fromTemplate({ Resources: { ...rest, Worker: Sam, ...more } }))
    const missing = findings.find(({ rule }) => rule === 'permissions-missing')
    expect(missing).toMatchObject({ severity: 'question', subject: 'WorkerRole' })
  })

  it('of a consumer in another language are not asked for', () => {
    const rules = found(consumer({}, { Runtime: 'python3.13' }))
    expect(rules).toContain('runtime Worker')
    expect(rules).not.toContain('permissions-missing Role')
  })
})

it('a subscription and a queue that both have no dead-letter queue do not share one', () => {
  const Resources = {
    ...consumer({}),
    Subscription: {
      Type: 'AWS::SNS::Subscription',
      Properties: { Protocol: 'sqs', TopicArn: 'arn:aws:sns:a:1:t', Endpoint: arn('Jobs') },
    },
  }
  const finding = diagnose(fromTemplate({ Resources })).find(
    ({ rule }) => rule === 'subscription-dead-letter',
  )
  expect(finding?.problem).toBe('It has no dead-letter queue.')
})

it('what the CDK sets on a bucket by a custom resource is read like a notification of the bucket', () => {
  const Resources = {
    ...consumer({}),
    Uploads: { Type: 'AWS::S3::Bucket', Properties: {} },
    Notifications: {
      Type: 'Custom::S3BucketNotifications',
      Properties: {
        BucketName: { Ref: 'Uploads' },
        NotificationConfiguration: { QueueConfigurations: [{ QueueArn: arn('Jobs') }] },
      },
    },
  }
  expect(found(Resources)).toContain('event-queue-policy Jobs')
})

it('a queue, a function and a role of one name are told apart by the service', () => {
  const Resources = {
    Fn: { Type: 'AWS::Lambda::Function', Properties: { FunctionName: 'jobs', Timeout: 10 } },
    Jobs: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'jobs' } },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        FunctionName: 'jobs',
        EventSourceArn: { 'Fn::Sub': 'arn:${AWS::Partition}:sqs:${AWS::Region}:1:jobs' },
      },
    },
  }
  expect(found(Resources)).toContain('visibility-timeout Jobs')
})

it('what looks like a consumer and is none of the rules is listed', () => {
  const queue = { Type: 'AWS::SQS::Queue', Properties: {} }
  const Resources = {
    Lonely: queue,
    Dead: queue,
    Night: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: { Target: { Arn: 'a', DeadLetterConfig: { Arn: arn('Dead') } } },
    },
    Made: { Type: 'Custom::Queue', Properties: {} },
    'Fn::ForEach::Queues': ['Name', ['a'], {}],
  }
  expect(found(Resources).map((each) => each.split(' ')[0])).toEqual([
    'Fn::ForEach::Queues',
    'Lonely',
    'Made',
  ])
})

it('a function whose role is not known has no name for it', () => {
  const { Worker, ...rest } = consumer({})
  const { Role: _, ...Properties } = Worker.Properties
  expect(found({ ...rest, Worker: { ...Worker, Properties } }).join()).toContain(
    'its role is not here',
  )
})

describe('alarms', () => {
  it('are a question where there is none, and are asked for one by one where there are some', () => {
    expect(found(consumer({}))).toContain('alarms alarms')
    const Alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } }
    const rules = found({ ...consumer({}), Alarm })
    expect(rules).not.toContain('alarms alarms')
    expect(rules).toContain('age-alarm Jobs')
  })
})
