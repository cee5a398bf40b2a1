import { expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from './from.ts'

type Resources = Record<string, { readonly Type: string; readonly Properties: object }>

const RULES = /^(?:event-|queue-open|notification-|failure-|payloads-)/
const found = (Resources: Resources): string[] =>
  diagnose(fromTemplate({ Resources }))
    .filter(({ rule }) => RULES.test(rule))
    .map(({ rule, subject }) => `${rule} ${subject}`)

const arn = (id: string): object => ({ 'Fn::GetAtt': [id, 'Arn'] })
const queue = (more: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: more })
const policy = (service: string, condition: object, target = 'Jobs') => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: target }],
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Principal: { Service: service },
          Action: 'sqs:SendMessage',
          Resource: '*',
          Condition: condition,
        },
      ],
    },
  },
})
const rule = (target: object, more: object = {}) => ({
  Type: 'AWS::Events::Rule',
  Properties: { EventPattern: {}, Targets: [{ Id: 'a', ...target }], ...more },
})
const byRule = (condition: object, more: object = {}): Resources => ({
  Jobs: queue(),
  Lost: queue(),
  Rule: rule({ Arn: arn('Jobs'), DeadLetterConfig: { Arn: arn('Lost') } }, more),
  JobsPolicy: policy('events.amazonaws.com', condition),
  LostPolicy: policy('events.amazonaws.com', condition, 'Lost'),
})
const sourceIs = (value: unknown) => ({ ArnLike: { 'aws:SourceArn': value } })
const REFUSED = ['event-queue-policy Jobs', 'event-queue-policy Lost']

it.each<[what: string, condition: object, findings: readonly string[]]>([
  ['the rule', sourceIs(arn('Rule')), []],
  ['its ARN', sourceIs({ 'Fn::Sub': 'arn:${AWS::Partition}:events:a:b:rule/${Rule}' }), []],
  ['its name, on a bus', sourceIs('arn:aws:events:eu-west-1:111122223333:rule/bus/moved'), []],
  ['all rules of the account', sourceIs('arn:aws:events:eu-west-1:111122223333:rule/*'), []],
  ['an import', sourceIs({ 'Fn::ImportValue': 'rule' }), []],
  ['the account', { StringEquals: { 'aws:SourceAccount': '111122223333' } }, []],
  ['another rule', sourceIs('arn:aws:events:eu-west-1:111122223333:rule/other'), REFUSED],
  ['nothing', {}, ['queue-open Jobs', 'queue-open Lost']],
])('a queue that admits events by %s', (_what, condition, findings) => {
  expect(found(byRule(condition, { Name: 'moved' }))).toEqual(findings)
})

it('a target with a role of its own, and a rule that is switched off, need no policy', () => {
  expect(found({ Jobs: queue(), Rule: rule({ Arn: arn('Jobs'), RoleArn: 'a' }) })).toEqual([])
  expect(found({ Jobs: queue(), Rule: rule({ Arn: arn('Jobs') }, { State: 'DISABLED' }) })).toEqual(
    [],
  )
})

it.each<[what: string, condition: object, findings: readonly string[]]>([
  [
    'its name, with the account in it',
    sourceIs({ 'Fn::Sub': 'arn:aws:s3:::up-${AWS::AccountId}' }),
    [],
  ],
  ['any bucket of the account', sourceIs('arn:aws:s3:*:*:*'), []],
  ['another bucket', sourceIs('arn:aws:s3:::up'), ['event-queue-policy Jobs']],
])('a queue that admits a bucket by %s', (_what, condition, findings) => {
  const Uploads = {
    Type: 'AWS::S3::Bucket',
    Properties: {
      BucketName: { 'Fn::Sub': 'up-${AWS::AccountId}' },
      NotificationConfiguration: {
        QueueConfigurations: [{ Event: 's3:ObjectCreated:*', Queue: arn('Jobs') }],
      },
    },
  }
  expect(found({ Jobs: queue(), Uploads, P: policy('s3.amazonaws.com', condition) })).toEqual(
    findings,
  )
})

it('a queue whose policy asks for TLS, or lets in a role, is not open', () => {
  const statement = (more: object) => ({ Action: 'sqs:*', Resource: '*', ...more })
  const PolicyDocument = {
    Statement: [
      statement({ Effect: 'Deny', Principal: '*' }),
      statement({ Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::111122223333:role/a' } }),
      { Effect: 'Allow', Principal: '*', Action: 'sqs:GetQueueUrl', Resource: '*' },
    ],
  }
  const P = {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: { Queues: [{ Ref: 'Jobs' }], PolicyDocument },
  }
  expect(found({ Jobs: queue(), P })).toEqual([])
})

const TABLE = { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'lineclear' } }
const role = (...statements: readonly (readonly [action: string, resource: unknown])[]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    Policies: [
      {
        PolicyDocument: {
          Statement: statements.map(([Action, Resource]) => ({
            Effect: 'Allow',
            Action,
            Resource,
          })),
        },
      },
    ],
  },
})
const claiming = role(['dynamodb:UpdateItem', arn('Table')])
const worker = (more: object = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Role: arn('Role'), ...more },
})
const invoked = (more: Resources, workers: object = {}): Resources => ({
  Table: TABLE,
  Role: claiming,
  Worker: worker(workers),
  ...more,
})
const SCHEDULED = 'AWS::Scheduler::Schedule'
const to = { Arn: arn('Worker') }
const UNKEPT = ['failure-destination Worker']

it.each<[what: string, Resources, findings: readonly string[]]>([
  ['a rule', { R: rule(to) }, UNKEPT],
  [
    'a night',
    { R: { Type: SCHEDULED, Properties: { ScheduleExpression: 'cron(0 3 * * ? *)', Target: to } } },
    UNKEPT,
  ],
  [
    'once',
    {
      R: {
        Type: SCHEDULED,
        Properties: { ScheduleExpression: 'at(2026-01-01T00:00:00)', Target: to },
      },
    },
    UNKEPT,
  ],
  [
    'a topic',
    {
      R: {
        Type: 'AWS::SNS::Subscription',
        Properties: { Protocol: 'lambda', Endpoint: arn('Worker') },
      },
    },
    UNKEPT,
  ],
  [
    'a bucket',
    {
      R: {
        Type: 'AWS::S3::Bucket',
        Properties: {
          NotificationConfiguration: { LambdaConfigurations: [{ Function: arn('Worker') }] },
        },
      },
    },
    UNKEPT,
  ],
  [
    'a fixed rate, which comes again',
    { R: rule(to, { ScheduleExpression: 'rate(1 minute)' }) },
    [],
  ],
  ['nothing', {}, []],
])(
  'a function that is invoked by %s, without a destination for failures',
  (_what, more, findings) => {
    expect(found(invoked(more))).toEqual(findings)
  },
)

it('a function that claims nothing needs no destination for failures', () => {
  expect(
    found({ ...invoked({ R: rule(to) }), Role: role(['dynamodb:Query', arn('Table')]) }),
  ).toEqual([])
})

it.each<[what: string, workers: object, more: Resources]>([
  ['its dead-letter queue', { DeadLetterConfig: { TargetArn: arn('Jobs') } }, {}],
  [
    'its destination',
    {},
    {
      Config: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: {
          FunctionName: { Ref: 'Worker' },
          Qualifier: '$LATEST',
          DestinationConfig: { OnFailure: { Destination: arn('Jobs') } },
        },
      },
    },
  ],
])('a function has to be allowed to send to %s', (_what, workers, more) => {
  const resources = invoked({ R: rule(to), Jobs: queue(), ...more }, workers)
  const sending = role(['dynamodb:UpdateItem', arn('Table')], ['sqs:SendMessage', arn('Jobs')])
  expect(found(resources)).toEqual(['failure-destination-permission Role'])
  expect(found({ ...resources, Role: sending })).toEqual([])
})

const OBJECTS = { 'Fn::Sub': '${Bucket.Arn}/lineclear/*' }
const expiring = (...Rules: readonly object[]) => ({
  Type: 'AWS::S3::Bucket',
  Properties: {
    BucketName: 'reports',
    LifecycleConfiguration: { Rules: Rules.map((each) => ({ Status: 'Enabled', ...each })) },
  },
})
const kept = (bucket: Resources[string], resource: unknown = OBJECTS): Resources => ({
  Jobs: queue({ MessageRetentionPeriod: 1_209_600 }),
  Bucket: bucket,
  Role: role(['s3:PutObject', resource]),
})

it.each<[what: string, Resources, findings: readonly string[]]>([
  ['expires all', kept(expiring({ ExpirationInDays: 90 })), []],
  [
    'expires by another rule too',
    kept(expiring({ Prefix: 'x/', ExpirationInDays: 1 }, { ExpirationInDays: 90 })),
    [],
  ],
  ['expires nothing', kept(expiring()), ['payloads-lifecycle Bucket']],
  [
    'expires what has a tag',
    kept(expiring({ ExpirationInDays: 90, TagFilters: [{ Key: 'a', Value: 'b' }] })),
    ['payloads-lifecycle Bucket'],
  ],
  [
    'expires before a delayed message may need it',
    kept(expiring({ ExpirationInDays: 45 })),
    ['payloads-lifecycle Bucket'],
  ],
  ['moves objects', kept(expiring({ Transitions: [] })), ['payloads-lifecycle Bucket']],
  [
    'expires before its queue does',
    kept(expiring({ ExpirationInDays: 14 })),
    ['payloads-expire-early Bucket'],
  ],
  [
    'is named by its ARN',
    kept(expiring(), 'arn:aws:s3:::reports/lineclear/*'),
    ['payloads-lifecycle Bucket'],
  ],
  ['is one of something else', kept(expiring(), 'arn:aws:s3:::reports/pictures/*'), []],
])('a bucket for payloads that %s', (_what, resources, findings) => {
  expect(found(resources)).toEqual(findings)
})

it('a consumer that reads payloads has to write them', () => {
  const reading = (...actions: readonly string[]): Resources => ({
    ...kept(expiring({ ExpirationInDays: 90 })),
    Worker: worker(),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { FunctionName: { Ref: 'Worker' }, EventSourceArn: arn('Jobs') },
    },
    Role: role(...actions.map((action) => [action, OBJECTS] as const)),
  })
  expect(found(reading('s3:GetObject'))).toEqual(['payloads-permissions Role'])
  expect(found(reading('s3:GetObject', 's3:PutObject'))).toEqual([])
  expect(found(reading('s3:PutObject'))).toEqual([])
})
