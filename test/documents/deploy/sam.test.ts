import { tableDefinition, timeToLive } from 'lineclear/dynamodb'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from '../../tools/doctor/from.ts'
import { checkTemplate } from './checkTemplate.ts'
import { readmeActions } from './readmeActions.ts'
import { managedTemplate, samTemplate } from './samTemplate.ts'

const template = samTemplate()

describe('the SAM template on Lambda Managed Instances', () => {
  it('has no finding of the doctor', () => {
    expect(diagnose(fromTemplate(managedTemplate()))).toEqual([])
  })

  it.each([
    ['a capacity provider', { CapacityProviderConfig: { Arn: 'arn' } }, 'instance-concurrency'],
    ['90 minutes', { Timeout: 5_400 }, 'visibility-timeout'],
    ['90 minutes and their lease', { Timeout: 5_400 }, 'function-timeout'],
    ['a durable function', { DurableConfig: { ExecutionTimeout: 3_600 } }, 'durable-consumer'],
    [
      'tenants of its own',
      { TenancyConfig: { TenantIsolationMode: 'PER_TENANT' } },
      'tenant-isolation',
    ],
  ])('the doctor knows %s', (_what, properties, rule) => {
    const wrong = managedTemplate()
    Object.assign(wrong.Resources['OrdersFunction']?.Properties ?? {}, properties)
    expect(diagnose(fromTemplate(wrong)).map((finding) => finding.rule)).toContain(rule)
  })
})

describe('the SAM template', () => {
  it('has no finding of the doctor', () => {
    expect(diagnose(fromTemplate(template))).toEqual([])
    expect(diagnose(fromTemplate(template), { delays: 'stored' })).toEqual([])
  })

  it('is accepted by the schema of CloudFormation', async () => {
    const plain = Object.entries(template.Resources).filter(
      ([, { Type }]) => !Type.startsWith('AWS::Serverless::'),
    )
    expect(await checkTemplate({ Resources: Object.fromEntries(plain) })).toEqual([])
  })

  it('has the table of tableDefinition', () => {
    const { TimeToLiveSpecification, ...table } =
      template.Resources['LineclearTable']?.Properties ?? {}
    const { TableName: _, ...definition } = tableDefinition()
    expect(table).toMatchObject(definition)
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
    ['partial-failures', 'OrdersFunction', 'Events.Queue.Properties.FunctionResponseTypes'],
    ['maximum-concurrency', 'OrdersFunction', 'Events.Queue.Properties.ScalingConfig'],
    ['visibility-timeout', 'OrdersQueue', 'VisibilityTimeout'],
    ['redrive-allow', 'OrdersDeadLetters', 'RedriveAllowPolicy'],
    ['dead-letter-queue', 'OrdersQueue', 'RedrivePolicy'],
    ['permissions-missing', 'OrdersRole', 'Policies'],
    ['delays-sweeper', 'SweeperFunction', 'Events'],
    ['sweeper-alarm', 'SweeperSilentAlarm', 'TreatMissingData'],
    ['table-recovery', 'LineclearTable', 'PointInTimeRecoverySpecification'],
  ])('the doctor finds %s when %s has no %s', (rule, id, path) => {
    const wrong = structuredClone(template)
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.reduce(
      (at, name) => at[name] as Record<string, unknown>,
      wrong.Resources[id]?.Properties ?? {},
    )
    expect(delete holder[last]).toBe(true)
    expect(diagnose(fromTemplate(wrong)).map((finding) => finding.rule)).toContain(rule)
  })
})
