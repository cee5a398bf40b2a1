import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from './from.ts'

const Mapping = {
  Type: 'AWS::Lambda::EventSourceMapping',
  Properties: {
    FunctionName: { 'Fn::GetAtt': ['Worker', 'Arn'] },
    EventSourceArn: {
      'Fn::Sub': 'arn:${AWS::Partition}:sqs:${AWS::Region}:${AWS::AccountId}:jobs',
    },
    FilterCriteria: { Filters: [{ Pattern: '{"body":{"kind":["a"]}}' }] },
  },
}
const Worker = { Type: 'AWS::Lambda::Function', Properties: { Timeout: { Ref: 'Seconds' } } }
const Jobs = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'jobs', VisibilityTimeout: 60 } }
const template = {
  Parameters: { Seconds: { Type: 'Number', Default: '20' } },
  Resources: { Mapping, Worker, Jobs },
}

it('follows names, ARNs and parameters', () => {
  const { mappings, functions, queues } = fromTemplate(template)
  expect(mappings[0]).toMatchObject({ function: 'Worker', queue: 'Jobs', window: 0 })
  expect(functions[0]).toMatchObject({ timeout: 20, recursiveLoop: 'Terminate' })
  expect(queues[0]).toMatchObject({ retention: 345_600, encryption: 'sqs' })
})

const ORDER = ['error', 'warning', 'question', 'note', 'unchecked']

it('names the problem, its consequence and the cure, errors first', () => {
  const findings = diagnose(fromTemplate(template))
  expect(findings.find(({ rule }) => rule === 'visibility-timeout')).toEqual({
    rule: 'visibility-timeout',
    severity: 'warning',
    subject: 'Jobs',
    problem: 'Its visibility timeout is 60 s, the timeout of Worker 20 s.',
    consequence:
      'Lambda holds messages before it invokes the function, while it is throttled or gathers a batch, and tries again. If too little of the visibility timeout is left then, they are delivered again while the attempt runs; each such delivery is deferred and uses up a receive.',
    cure: 'Set VisibilityTimeout to 120 or more: six times the timeout, plus the batching window.',
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-configure-lambda-function-trigger.html',
  })
  const severities = findings.map(({ severity }) => severity)
  const ranks = severities.map((each) => ORDER.indexOf(each))
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
  for (const { problem, consequence, cure } of findings) {
    for (const sentence of [problem, consequence, cure]) expect(sentence).toMatch(/^[A-Z].*\.$/)
  }
})

const SWEEPER = { 'Fn::GetAtt': ['Sweeper', 'Arn'] }
const QUERIES = {
  Statement: [
    {
      Effect: 'Allow',
      Action: ['dynamodb:Query'],
      Resource: [{ 'Fn::Sub': '${Table.Arn}/index/byStatus' }],
    },
  ],
}

describe('stored delays', () => {
  const watched = {
    Resources: {
      Late: { Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'oldestDelayed' } },
    },
  }
  const rulesOf = (template: unknown, delays?: 'stored') =>
    diagnose(fromTemplate(template), delays === undefined ? {} : { delays })
      .map(({ rule }) => rule)
      .filter((rule) => rule.startsWith('delays'))

  it('need a sweeper on a schedule and an alarm, once a handler is said to have them', () => {
    expect(rulesOf({ Resources: {} })).toEqual([])
    expect(rulesOf({ Resources: {} }, 'stored')).toEqual(['delays-sweeper', 'delays-alarm'])
  })

  it('are assumed where their metric is watched', () => {
    expect(rulesOf(watched)).toEqual(['delays-sweeper'])
  })

  it.each([
    ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 minute)', Targets: [{ Arn: SWEEPER }] }],
    [
      'AWS::Scheduler::Schedule',
      { ScheduleExpression: 'rate(1 minute)', Target: { Arn: SWEEPER } },
    ],
  ])('are served by a sweeper that %s calls, and not by one that is switched off', (Type, rule) => {
    const scheduled = (Properties: object) => ({
      Resources: {
        ...watched.Resources,
        Sweeper: {
          Type: 'AWS::Lambda::Function',
          Properties: { Role: { 'Fn::GetAtt': ['Role', 'Arn'] } },
        },
        Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument: QUERIES }] } },
        Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'lineclear' } },
        Schedule: { Type, Properties },
      },
    })
    expect(rulesOf(scheduled(rule))).toEqual([])
    expect(rulesOf(scheduled({ ...rule, State: 'DISABLED' }))).toEqual(['delays-sweeper'])
  })
})

describe('a visibility timeout', () => {
  const judged = (VisibilityTimeout: number) => {
    const Resources = {
      Jobs: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout } },
      Worker: { Type: 'AWS::Lambda::Function', Properties: { Timeout: 20 } },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          FunctionName: { Ref: 'Worker' },
          EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
          MaximumBatchingWindowInSeconds: 5,
        },
      },
    }
    const found = diagnose(fromTemplate({ Resources }))
    return found.filter(({ rule }) => rule === 'visibility-timeout')
  }

  it.each([
    [19, 'error', 'Lambda refuses to make such a mapping'],
    [20, 'warning', 'while it is throttled'],
    [124, 'warning', 'while it is throttled'],
  ])('of %i s beside a timeout of 20 s is an %s', (seconds, severity, consequence) => {
    expect(judged(seconds)).toMatchObject([
      { severity, consequence: expect.stringContaining(consequence) },
    ])
  })

  it('of six times that and the window is right', () => {
    expect(judged(125)).toEqual([])
  })
})
