import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { collisionsOf } from '../../../src/tools/doctor/rules/environments.ts'
import { run } from '../cli/runHere.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { planOf } from './terraform/planOf.ts'

const table = (TableName: unknown) => ({ Type: 'AWS::DynamoDB::Table', Properties: { TableName } })
const silent = (Dimensions: unknown) => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: { Namespace: 'Lineclear', MetricName: 'missingTasks', Dimensions },
})
const found = (Resources: object, Parameters = {}) => {
  const deployment = fromTemplate({ Parameters, Resources })
  return collisionsOf(deployment, fromTemplate({ Parameters, Resources })).map(
    ({ rule, severity, subject }) => `${severity} ${rule} ${subject}`,
  )
}

it.each([
  ['a text', 'lineclear', ['error same-name T']],
  ['of the stack', { 'Fn::Sub': '${AWS::StackName}-lineclear' }, []],
  ['left to CloudFormation', undefined, []],
  ['of the account', { 'Fn::Sub': 'table-${AWS::AccountId}' }, ['error same-name T']],
  ['of a parameter without a value', { Ref: 'Name' }, ['question same-name T']],
])('a name that is %s', (_, name, expected) => {
  expect(found({ T: table(name) }, { Name: { Type: 'String' } })).toEqual(expected)
})

it('a name that is a parameter with a default of its own in each template is found in neither', () => {
  const [one, other] = ['dev', 'prod'].map((Default) =>
    fromTemplate({
      Parameters: { Name: { Type: 'String', Default } },
      Resources: { T: table({ Ref: 'Name' }) },
    }),
  )
  expect(one && other && collisionsOf(one, other)).toEqual([])
})

it.each([
  ['no dimension', [], ['error same-metric A']],
  ['a name in it', [{ Name: 'table', Value: 'lineclear' }], ['error same-metric A']],
  ['its own table', [{ Name: 'table', Value: { Ref: 'T' } }], []],
  ['a name of the stack', [{ Name: 'table', Value: { 'Fn::Sub': '${AWS::StackName}-t' } }], []],
])('an alarm on a metric with %s', (_, dimensions, expected) => {
  expect(found({ T: table(undefined), A: silent(dimensions) })).toEqual(expected)
})

it('another type may have the same name, and another environment another one', () => {
  const [one, other] = [
    { T: table('shop') },
    { Q: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'shop' } } },
  ]
  const of = (Resources: object) => fromTemplate({ Resources })
  expect(collisionsOf(of(one), of(other))).toEqual([])
  expect(collisionsOf(of(one), of({ T: table('shop-dev') }))).toEqual([])
})

it('plans of Terraform are compared as well', () => {
  const plan = (name: string) =>
    fromTerraform(
      planOf({
        '.': `resource "aws_dynamodb_table" "t" {
  name = "${name}"
}
resource "aws_cloudwatch_metric_alarm" "silent" {
  alarm_name  = "${name}-silent"
  namespace   = "Lineclear"
  metric_name = "missingTasks"
  dimensions  = { table = "${name}" }
}
`,
      }),
    )
  expect(collisionsOf(plan('prod'), plan('dev'))).toEqual([])
  expect(
    collisionsOf(plan('prod'), plan('prod')).map(({ rule, subject }) => [rule, subject]),
  ).toEqual([
    ['same-name', 'aws_cloudwatch_metric_alarm.silent'],
    // The alarm is on a metric of that table, so it needs no line of its own.
    ['same-name', 'aws_dynamodb_table.t'],
  ])
})

it('is asked by --beside, and ends with 1 for what both have', async () => {
  const place = await mkdtemp(join(tmpdir(), 'lineclear-'))
  const [prod, dev] = [join(place, 'prod.json'), join(place, 'dev.json')]
  for (const file of [prod, dev]) {
    await writeFile(
      file,
      JSON.stringify({
        Resources: { Q: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'orders' } } },
      }),
    )
  }
  const both = await run(['doctor', '--template', prod, '--beside', dev])
  const alone = await run(['doctor', '--beside', dev])
  await rm(place, { recursive: true })
  expect(both.code).toBe(1)
  expect(both.out).toContain(
    'error    Q: Its name orders is also that of Q in the other environment.',
  )
  expect(alone).toMatchObject({ code: 2 })
  expect(alone.err).toContain('--beside: expected --template PATH with it')
})
