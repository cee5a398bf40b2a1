import { describe, expect, it } from 'vitest'
import { EXCEPTIONS, type Exception } from './exceptions.ts'
import { objectionsOfCfnLint, objectionsOfCheckov, verdict } from './verdict.ts'

const here = { tool: 'checkov', target: 'SAM' } as const
const queue = { check: 'C1', resource: 'AWS::SQS::Queue.Orders', says: 'not encrypted' }
const excepted: Exception = { ...here, check: 'C1', in: ['SAM'], because: 'it is' }

describe('the verdict on what a tool says', () => {
  it.each<[string, readonly (typeof queue)[], readonly Exception[], readonly string[]]>([
    ['nothing', [], [], []],
    ['an objection', [queue], [], ['C1 AWS::SQS::Queue.Orders: not encrypted']],
    ['one that is listed', [queue], [excepted], []],
    ['one on a resource that is listed', [queue], [{ ...excepted, on: ['Orders'] }], []],
    [
      'one on another resource',
      [queue],
      [{ ...excepted, on: ['Payments'] }],
      [
        'C1 AWS::SQS::Queue.Orders: not encrypted',
        'C1: the exception for SAM is not needed any longer',
      ],
    ],
    [
      'one on a resource whose name only begins so',
      [queue],
      [{ ...excepted, on: ['Ord'] }],
      [
        'C1 AWS::SQS::Queue.Orders: not encrypted',
        'C1: the exception for SAM is not needed any longer',
      ],
    ],
    [
      'one that the CDK has named',
      [{ ...queue, resource: 'AWS::SNS::Topic.TableAlarms4EBF1C91' }],
      [{ ...excepted, on: ['TableAlarms'] }],
      [],
    ],
    [
      'one in a module',
      [{ ...queue, resource: 'module.table.aws_sns_topic.alarms' }],
      [{ ...excepted, on: ['module.table.aws_sns_topic.alarms'] }],
      [],
    ],
    ['nothing any longer', [], [excepted], ['C1: the exception for SAM is not needed any longer']],
    [
      'what is listed for another tool, and for another template',
      [queue],
      [
        { ...excepted, tool: 'cfn-lint' },
        { ...excepted, in: ['CDK'] },
      ],
      ['C1 AWS::SQS::Queue.Orders: not encrypted'],
    ],
  ])('%s', (_, objections, exceptions, expected) => {
    expect(verdict(objections, exceptions, here)).toEqual(expected)
  })

  it('is not given by a tool that has read nothing', () => {
    const report = (parsing_errors: string[], summary: object): string =>
      JSON.stringify({ results: { failed_checks: [], parsing_errors }, summary })
    const read = { passed: 3, resource_count: 2 }
    expect(objectionsOfCheckov(report([], read))).toEqual([])
    for (const [errors, summary] of [
      [['main.tf'], read],
      [[], { passed: 0, resource_count: 2 }],
      [[], { passed: 3, resource_count: 0 }],
    ] as const) {
      expect(() => objectionsOfCheckov(report([...errors], summary))).toThrow('could not read')
    }
    expect(() => objectionsOfCheckov('{"passed":0}')).toThrow(TypeError)
    expect(() => objectionsOfCfnLint('usage: cfn-lint')).toThrow(SyntaxError)
  })

  it('names the resource of an objection of cfn-lint', () => {
    const match = {
      Message: 'no such property',
      Rule: { Id: 'E3002' },
      Location: { Path: ['Resources', 'Orders', 'Properties'] },
    }
    expect(objectionsOfCfnLint(JSON.stringify([match]))).toEqual([
      { check: 'E3002', resource: 'Orders', says: 'no such property' },
    ])
  })
})

it('each exception stands once, and has a reason', () => {
  const names = EXCEPTIONS.flatMap((each) =>
    each.in.map((target) => [each.tool, each.check, target].join(' ')),
  )
  expect(new Set(names).size).toBe(names.length)
  for (const { because } of EXCEPTIONS) expect(because.length).toBeGreaterThan(20)
})
