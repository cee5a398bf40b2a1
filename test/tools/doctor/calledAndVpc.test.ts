import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { planOf } from './terraform/planOf.ts'

const RULES = ['queue-policies', 'vpc-permissions', 'function-alarm']
const found = (deployment: Parameters<typeof diagnose>[0]): string[] =>
  diagnose(deployment)
    .filter(({ rule }) => RULES.includes(rule))
    .map(({ rule, severity, subject }) => `${severity} ${rule} ${subject}`)
const inTemplate = (Resources: object, more: object = {}): string[] =>
  found(fromTemplate({ Resources, ...more }))

describe('two policies of one queue, of which the second replaces the first', () => {
  const Jobs = { Type: 'AWS::SQS::Queue', Properties: {} }
  const policy = (...queues: string[]) => ({
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: queues.map((Ref) => ({ Ref })),
      PolicyDocument: { Statement: [] },
    },
  })

  it('are found, and not one policy for each queue', () => {
    const two = { Jobs, Other: Jobs, One: policy('Jobs') }
    expect(inTemplate({ ...two, Two: policy('Other') })).toEqual([])
    expect(inTemplate({ ...two, Two: policy('Other', 'Jobs') })).toEqual([
      'error queue-policies Jobs',
    ])
  })

  it('are found where SAM makes one for each of two topics', () => {
    const SqsSubscription = { QueueArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] }, QueueUrl: 'url' }
    const topic = (Topic: string) => ({ Type: 'SNS', Properties: { Topic, SqsSubscription } })
    const worker = (Events: object) => ({
      Type: 'AWS::Serverless::Function',
      Properties: { Events },
    })
    const sam = { Transform: 'AWS::Serverless-2016-10-31' }
    const Placed = topic('arn:aws:sns:eu-west-1:123456789012:placed')
    const Paid = topic('arn:aws:sns:eu-west-1:123456789012:paid')
    expect(inTemplate({ Jobs, Worker: worker({ Placed }) }, sam)).toEqual([])
    expect(inTemplate({ Jobs, Worker: worker({ Placed, Paid }) }, sam)).toEqual([
      'error queue-policies Jobs',
    ])
  })

  it('are found in Terraform', () => {
    const one = 'resource "aws_sqs_queue" "jobs" {\n  name   = "jobs"\n  policy = "{}"\n}\n'
    const two = `resource "aws_sqs_queue_policy" "jobs" {
  queue_url = aws_sqs_queue.jobs.id
  policy    = "{}"
}`
    expect(found(fromTerraform(planOf({ '.': one })))).toEqual([])
    expect(found(fromTerraform(planOf({ '.': one + two })))).toEqual([
      'error queue-policies aws_sqs_queue.jobs',
    ])
  })
})

describe('a function in a VPC', () => {
  const VpcConfig = { SubnetIds: ['subnet-1'], SecurityGroupIds: ['sg-1'] }
  const resources = (role: object, config: object = { VpcConfig }) => ({
    Role: { Type: 'AWS::IAM::Role', Properties: role },
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: { Role: { 'Fn::GetAtt': ['Role', 'Arn'] }, ...config },
    },
  })
  const managed = (name: string) => ({
    ManagedPolicyArns: [`arn:aws:iam::aws:policy/service-role/${name}`],
  })
  const statement = (...Action: string[]) => ({
    Policies: [
      { PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource: 'arn:aws:ec2:*' }] } },
    ],
  })
  it.each<[string, object, readonly string[]]>([
    ['with none of its permissions', {}, ['error vpc-permissions Role']],
    ['with the policy of AWS', managed('AWSLambdaVPCAccessExecutionRole'), []],
    ['with others', managed('AWSLambdaBasicExecutionRole'), ['error vpc-permissions Role']],
    ['with a policy that is elsewhere', managed('Ours'), ['question vpc-permissions Role']],
    ['with all in one pattern', statement('ec2:*NetworkInterface*'), []],
    ['with one', statement('ec2:CreateNetworkInterface'), ['error vpc-permissions Role']],
  ])('%s', (_, role, expected) => {
    expect(inTemplate(resources(role))).toEqual(expected)
  })

  it('of SAM gets them by the transform, and one outside needs none', () => {
    const Worker = { Type: 'AWS::Serverless::Function', Properties: { VpcConfig } }
    expect(inTemplate({ Worker }, { Transform: 'AWS::Serverless-2016-10-31' })).toEqual([])
    expect(inTemplate(resources({}, { VpcConfig: { SubnetIds: [] } }))).toEqual([])
  })

  it('of Terraform is one, too', () => {
    const plan = planOf({
      '.': `
resource "aws_iam_role" "worker" { name = "worker" }
resource "aws_lambda_function" "worker" {
  function_name = "worker"
  role          = aws_iam_role.worker.arn
  vpc_config { subnet_ids = ["subnet-1"] }
}`,
    })
    expect(found(fromTerraform(plan))).toEqual(['error vpc-permissions aws_iam_role.worker'])
  })
})

describe('a called function', () => {
  const alarm = (id: string, MetricName: string) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      Namespace: 'AWS/Lambda',
      MetricName,
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: id } }],
    },
  })
  const Table = {
    Type: 'AWS::DynamoDB::Table',
    Properties: { TableName: 'lineclear', KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] },
  }
  const api = (Action: string, Resource: object = { 'Fn::GetAtt': ['Table', 'Arn'] }) => ({
    Table,
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [{ PolicyDocument: { Statement: [{ Effect: 'Allow', Action, Resource }] } }],
      },
    },
    Api: {
      Type: 'AWS::Lambda::Function',
      Properties: { Runtime: 'nodejs24.x', Role: { 'Fn::GetAtt': ['Role', 'Arn'] } },
    },
  })
  it('needs an alarm of its errors, if it has requests of Lineclear', () => {
    const writes = api('dynamodb:UpdateItem')
    const Other = alarm('Other', 'Errors')
    expect(inTemplate({ ...writes, Other })).toEqual(['warning function-alarm Api'])
    expect(inTemplate({ ...writes, Own: alarm('Api', 'Errors') })).toEqual([])
    expect(inTemplate({ ...api('dynamodb:GetItem'), Other })).toEqual([])
    // The question of the rule `alarms` is enough.
    expect(inTemplate(writes)).toEqual([])
  })
})
