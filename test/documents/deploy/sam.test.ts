import { tableDefinition, timeToLive } from 'lineclear/dynamodb'
import { describe, expect, it } from 'vitest'
import { diagnose, fromTemplate } from '../../../src/ops/doctor/index.ts'
import { checkTemplate } from './checkTemplate.ts'
import type { Template } from './packaged.ts'
import { readmeActions } from './readmeActions.ts'
import { samTemplate } from './samTemplate.ts'

type Values = Readonly<Record<string, unknown>>

const sam = samTemplate()

/** What SAM makes of its functions: a function, and a mapping or a rule for its event. */
function expanded({ Resources }: Template): Template {
  const entries = Object.entries(Resources).flatMap(([id, resource]) => {
    if (resource.Type !== 'AWS::Serverless::Function') return [[id, resource] as const]
    const { Events, Handler, Timeout, Role } = resource.Properties
    const own = { Handler, Timeout, Role }
    const events = Object.entries(Events as Record<string, { Type: string; Properties: Values }>)
    return [
      [id, { Type: 'AWS::Lambda::Function', Properties: own }] as const,
      ...events.map(([name, event]) => [`${id}${name}`, eventOf(id, event)] as const),
    ]
  })
  return { Resources: Object.fromEntries(entries) }
}

function eventOf(id: string, { Type, Properties }: { Type: string; Properties: Values }) {
  const { Queue, Schedule, ...rest } = Properties
  if (Type === 'SQS') {
    const own = { ...rest, FunctionName: { Ref: id }, EventSourceArn: Queue }
    return { Type: 'AWS::Lambda::EventSourceMapping', Properties: own }
  }
  const Targets = [{ Id: 'function', Arn: { 'Fn::GetAtt': [id, 'Arn'] } }]
  return { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression: Schedule, Targets } }
}

const template = expanded(sam)

describe('the SAM template', () => {
  it('has no finding of the doctor', () => {
    expect(diagnose(fromTemplate(template))).toEqual([])
    expect(diagnose(fromTemplate(template), { delays: 'stored' })).toEqual([])
  })

  it('is accepted by the schema of CloudFormation', async () => {
    const { Resources } = template
    const plain = Object.entries(Resources).filter(
      ([, { Type }]) => Type !== 'AWS::Lambda::Function',
    )
    expect(await checkTemplate({ Resources: Object.fromEntries(plain) })).toEqual([])
  })

  it('has the table of tableDefinition', () => {
    const { TimeToLiveSpecification, ...table } = sam.Resources['LineclearTable']?.Properties ?? {}
    expect(table).toMatchObject(tableDefinition())
    expect(TimeToLiveSpecification).toEqual(timeToLive().TimeToLiveSpecification)
  })

  it.each([
    ['of a consumer', 'OrdersRole', ['sns:Publish']],
    ['of the sweeper', 'SweeperRole', []],
  ])('grants the permissions %s, as the runbook has them', (row, id, left) => {
    const statements = fromTemplate(template).roles.find((role) => role.id === id)?.statements ?? []
    const granted = statements.flatMap(({ actions }) => actions)
    const ours = granted.filter((action) => !action.startsWith('logs:'))
    expect(new Set([...ours, ...left])).toEqual(new Set(readmeActions(row)))
  })

  it.each([
    ['partial-failures', 'OrdersFunctionQueue', 'FunctionResponseTypes'],
    ['visibility-timeout', 'OrdersQueue', 'VisibilityTimeout'],
    ['redrive-allow', 'OrdersDeadLetters', 'RedriveAllowPolicy'],
    ['dead-letter-queue', 'OrdersQueue', 'RedrivePolicy'],
    ['delays-sweeper', 'SweeperFunctionEveryMinute', 'ScheduleExpression'],
    ['sweeper-alarm', 'SweeperSilentAlarm', 'TreatMissingData'],
    ['table-recovery', 'LineclearTable', 'PointInTimeRecoverySpecification'],
  ])('the doctor finds %s when %s has no %s', (rule, id, property) => {
    const wrong = structuredClone(template)
    delete wrong.Resources[id]?.Properties[property]
    expect(diagnose(fromTemplate(wrong)).map((finding) => finding.rule)).toContain(rule)
  })
})
