import { expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate, fromTerraform } from './from.ts'
import { planOf } from './terraform/planOf.ts'

const found = (...given: Parameters<typeof diagnose>): string[] =>
  diagnose(...given)
    .filter(({ rule }) => rule === 'duration-alarm')
    .map(({ severity, subject, problem }) => `${severity} ${subject}: ${problem}`)

const SILENT = ['warning Slow: It goes off above 24000 ms, and Lambda stops Worker after 6 s.']

it.each<[string, object, object, readonly string[]]>([
  ['longer than the timeout', { Timeout: 6 }, {}, SILENT],
  ['within the timeout', { Timeout: 30 }, {}, []],
  ['with a timeout that is not known', { Timeout: { Ref: 'Seconds' } }, {}, []],
  ['of all invocations together', { Timeout: 6 }, { Statistic: 'Sum' }, []],
  ['that is not reached', { Timeout: 6 }, { ComparisonOperator: 'LessThanThreshold' }, []],
  ['of a parameter', { Timeout: 6 }, { Threshold: { Ref: 'Most' } }, []],
  ['of another metric', { Timeout: 6 }, { MetricName: 'IteratorAge' }, []],
])('an alarm on a duration %s', (_, timeout, alarm, expected) => {
  const Slow = {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      Namespace: 'AWS/Lambda',
      MetricName: 'Duration',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: 'Worker' } }],
      Statistic: 'Maximum',
      ComparisonOperator: 'GreaterThanThreshold',
      Threshold: 24_000,
      ...alarm,
    },
  }
  const Worker = { Type: 'AWS::Lambda::Function', Properties: timeout }
  expect(found(fromTemplate({ Resources: { Slow, Worker } }))).toEqual(expected)
})

it('is found in a plan', () => {
  const plan = planOf({
    '.': `
resource "aws_lambda_function" "worker" { function_name = "worker" }
resource "aws_cloudwatch_metric_alarm" "slow" {
  namespace           = "AWS/Lambda"
  metric_name         = "Duration"
  statistic           = "Maximum"
  comparison_operator = "GreaterThanThreshold"
  threshold           = 24000
  dimensions          = { FunctionName = aws_lambda_function.worker.function_name }
}`,
  })
  expect(found(fromTerraform(plan))).toHaveLength(1)
})
