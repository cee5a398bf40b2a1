import { describe, expect, it } from 'vitest'
import { fromTemplate, fromTerraform } from './from.ts'
import { parseText } from '../../../src/tools/doctor/input/parseText.ts'
import { allows } from '../../../src/tools/doctor/rules/permissions.ts'

/** Each level names the one below twice: 2 to the 60th values. */
const LEVELS = 60

function nested(around: (below: unknown) => unknown): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < LEVELS; level++) value = around(value)
  return value
}

function inTemplate(QueueName: unknown, more: object = {}): unknown {
  return { ...more, Resources: { Jobs: { Type: 'AWS::SQS::Queue', Properties: { QueueName } } } }
}

const TOO_LARGE = /its expressions are too large to be computed/

describe('an expression that doubles at each level ends with an error, soon:', () => {
  it.each<[string, () => unknown]>([
    [
      'Fn::Sub with a variable twice',
      () => nested((below) => ({ 'Fn::Sub': ['${A}${A}', { A: below }] })),
    ],
    [
      'Fn::Join with a long separator',
      () => ({ 'Fn::Join': ['-'.repeat(20_000), Array.from({ length: 20_000 }, () => 'a')] }),
    ],
  ])('%s', (_, name) => {
    expect(() => fromTemplate(inTemplate(name()))).toThrow(TOO_LARGE)
  })

  it('conditions that name each other', () => {
    const Both = { 'Fn::And': Array.from({ length: 10 }, () => ({ Condition: 'Both' })) }
    const template = {
      Conditions: { Both },
      Resources: { Jobs: { Type: 'AWS::SQS::Queue', Condition: 'Both', Properties: {} } },
    }
    expect(() => fromTemplate(template)).toThrow(TOO_LARGE)
  })

  it('outputs that import each other', () => {
    const both = ['A', 'A', 'A', 'A'].map((name) => ({ 'Fn::ImportValue': name }))
    const Outputs = { A: { Export: { Name: 'A' }, Value: { 'Fn::Join': ['', both] } } }
    expect(() => fromTemplate(inTemplate({ 'Fn::ImportValue': 'A' }, { Outputs }))).toThrow(
      TOO_LARGE,
    )
  })
})

it('aliases of YAML that double at each level are refused', () => {
  const lines = Array.from(
    { length: LEVELS },
    (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
  )
  expect(() => parseText(['a0: &a0 x', ...lines].join('\n'))).toThrow(/alias/)
})

it('a template of 500 queues with computed names is far below the budget', () => {
  const name = { 'Fn::Sub': ['${A}-${A}-jobs', { A: { 'Fn::Join': ['-', ['a', 'b']] } }] }
  const Resources = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [
      `Q${n}`,
      { Type: 'AWS::SQS::Queue', Properties: { QueueName: name } },
    ]),
  )
  expect(fromTemplate({ Resources }).queues).toHaveLength(500)
})

describe('the pattern of a permission', () => {
  const may = (pattern: string, on: string) =>
    allows(
      {
        statements: [{ effect: 'Allow', actions: ['sqs:*'], resources: [pattern] }],
      } as unknown as Parameters<typeof allows>[0],
      'sqs:SendMessage',
      on,
    )

  it('with many stars is compared at once', () => {
    expect(may(`${'a*'.repeat(2_000)}b`, 'a'.repeat(5_000))).toBe(false)
    expect(may('a*'.repeat(2_000), 'a'.repeat(5_000))).toBe(true)
  })

  it.each([
    ['Jobs', 'jobs', true],
    ['J*s', 'Jobs', true],
    ['J*bs*', 'Jobs', true],
    ['*', 'Jobs', true],
    ['Jobs*Jobs', 'Jobs', false],
    ['J*x*s', 'Jobs', false],
    ['J.bs', 'Jobs', false],
    ['Job', 'Jobs', false],
    ['ab*ba', 'aba', false],
  ])('%s of %s: %s', (pattern, on, expected) => {
    expect(may(pattern, on)).toBe(expected)
  })
})

it('references through modules that call each other end', () => {
  const references = Array.from({ length: 8 }, () => 'module.a.x')
  const outputs = { x: { expression: { references } } }
  const module: Record<string, unknown> = { outputs }
  module['module_calls'] = { a: { module: { outputs, module_calls: {} } } }
  const plan = {
    format_version: '1.2',
    planned_values: {
      root_module: {
        resources: [
          {
            address: 'aws_sqs_queue.jobs',
            mode: 'managed',
            type: 'aws_sqs_queue',
            name: 'jobs',
            values: {},
          },
        ],
      },
    },
    configuration: {
      root_module: {
        ...module,
        resources: [
          {
            address: 'aws_sqs_queue.jobs',
            mode: 'managed',
            type: 'aws_sqs_queue',
            name: 'jobs',
            expressions: { redrive_policy: { references } },
          },
        ],
      },
    },
  }
  expect(fromTerraform(plan).queues).toHaveLength(1)
})
