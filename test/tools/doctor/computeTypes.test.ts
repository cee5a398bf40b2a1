import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { planOf } from './terraform/planOf.ts'

const RULES = ['function-timeout', 'instance-concurrency', 'durable-consumer', 'tenant-isolation']
const found = (...given: Parameters<typeof diagnose>): string[] =>
  diagnose(...given)
    .filter(({ rule }) => RULES.includes(rule))
    .map(({ rule, severity, subject }) => `${severity} ${rule} ${subject}`)

const MARKED = { Environment: { Variables: { LINECLEAR_TABLE: 'lineclear' } } }
const consumer = (properties: object, more: object = {}) =>
  fromTemplate({
    Resources: {
      Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
      Worker: {
        Type: 'AWS::Lambda::Function',
        Properties: { Runtime: 'nodejs24.x', ...MARKED, ...properties },
      },
      Mapping: {
        Type: 'AWS::Lambda::EventSourceMapping',
        Properties: {
          FunctionName: { Ref: 'Worker' },
          EventSourceArn: { 'Fn::GetAtt': ['Jobs', 'Arn'] },
        },
      },
      ...more,
    },
  })

const instances = (more: object = {}) => ({
  CapacityProviderConfig: {
    LambdaManagedInstancesCapacityProviderConfig: { CapacityProviderArn: 'arn', ...more },
  },
})
const TEN = instances({ PerExecutionEnvironmentMaxConcurrency: 10 })
const DURABLE = { DurableConfig: { ExecutionTimeout: 3_600 } }
const ISOLATED = { TenancyConfig: { TenantIsolationMode: 'PER_TENANT' } }

describe('a consumer', () => {
  it.each<[string, object, readonly string[]]>([
    ['on no capacity provider', { Timeout: 900 }, []],
    ['on a capacity provider', { ...TEN, Timeout: 900 }, []],
    ['there with 90 minutes', { ...TEN, Timeout: 5_400 }, ['warning function-timeout Worker']],
    ['whose timeout is not known', { ...TEN, Timeout: { Ref: 'Seconds' } }, []],
    ['there without a concurrency', instances(), ['warning instance-concurrency Worker']],
    [
      'whose concurrency is not known',
      instances({ PerExecutionEnvironmentMaxConcurrency: { Ref: 'Most' } }),
      [],
    ],
    ['that is a durable function', DURABLE, ['error durable-consumer Worker']],
    ['with tenant isolation', ISOLATED, ['error tenant-isolation Worker']],
    ['in another language', { ...DURABLE, ...instances(), Runtime: 'python3.13' }, []],
  ])('%s', (_what, properties, expected) => {
    expect(found(consumer(properties))).toEqual(expected)
  })
})

it('a function that consumes no queue may be durable, and isolate its tenants', () => {
  const Resources = {
    Api: { Type: 'AWS::Lambda::Function', Properties: { ...DURABLE, ...ISOLATED, ...instances() } },
  }
  expect(found(fromTemplate({ Resources }))).toEqual([])
})

it('a rule of EventBridge names no tenant either', () => {
  const Target = { Arn: { 'Fn::GetAtt': ['Nightly', 'Arn'] }, Id: 'nightly' }
  const more = {
    Nightly: { Type: 'AWS::Lambda::Function', Properties: ISOLATED },
    Rule: { Type: 'AWS::Events::Rule', Properties: { Targets: [Target] } },
  }
  expect(found(consumer({}, more))).toEqual(['error tenant-isolation Nightly'])
})

const BAD = [
  'error durable-consumer Worker',
  'error tenant-isolation Worker',
  'warning function-timeout Worker',
  'warning instance-concurrency Worker',
]

it('a template of SAM is read, with its globals', () => {
  const sam = (concurrency: object) =>
    fromTemplate({
      Transform: 'AWS::Serverless-2016-10-31',
      Globals: { Function: { CapacityProviderConfig: { Arn: 'arn', ...concurrency } } },
      Resources: {
        Jobs: { Type: 'AWS::SQS::Queue', Properties: {} },
        Worker: {
          Type: 'AWS::Serverless::Function',
          Properties: {
            Runtime: 'nodejs24.x',
            Timeout: 1_800,
            Tags: { 'lineclear:consumer': 'jobs' },
            ...DURABLE,
            ...ISOLATED,
            Events: {
              Jobs: { Type: 'SQS', Properties: { Queue: { 'Fn::GetAtt': ['Jobs', 'Arn'] } } },
            },
          },
        },
      },
    })
  expect(found(sam({})).toSorted()).toEqual(BAD)
  expect(found(sam({ PerExecutionEnvironmentMaxConcurrency: 4 })).toSorted()).toEqual(
    BAD.slice(0, 3),
  )
})

it('a plan of Terraform is read', () => {
  const plan = (blocks: string) =>
    planOf({
      '.': `
resource "aws_sqs_queue" "jobs" { name = "jobs" }
resource "aws_lambda_function" "worker" {
  function_name = "worker"
  runtime       = "nodejs24.x"
  tags          = { "lineclear:consumer" = "jobs" }
  ${blocks}
}
resource "aws_lambda_event_source_mapping" "jobs" {
  event_source_arn = aws_sqs_queue.jobs.arn
  function_name    = aws_lambda_function.worker.arn
}`,
    })
  const managed = (more: string) => `capacity_provider_config {
    lambda_managed_instances_capacity_provider_config {
      capacity_provider_arn = "arn"
      ${more}
    }
  }`
  const bad = `timeout = 1800
  ${managed('')}
  durable_config { execution_timeout = 3600 }
  tenancy_config { tenant_isolation_mode = "PER_TENANT" }`
  const good = `timeout = 900
  ${managed('per_execution_environment_max_concurrency = 4')}`
  expect(found(fromTerraform(plan(bad))).toSorted()).toEqual(
    BAD.map((each) => each.replace('Worker', 'aws_lambda_function.worker')),
  )
  expect(found(fromTerraform(plan(good)))).toEqual([])
})
