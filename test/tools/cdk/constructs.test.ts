import { beforeAll, describe, expect, it, vi } from 'vitest'
import { managed } from '../../../examples/cdk/managed.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromTemplate } from '../doctor/from.ts'
import type { Template } from '../../documents/deploy/packaged.ts'
import { readmeActions } from '../../documents/deploy/readmeActions.ts'
import { ENTRY, everything, newStack, templateOf, vpcIn } from './stacks.ts'
import { LineclearCall, LineclearConsumer, LineclearTable } from 'lineclear/cdk'

let template: Template

beforeAll(() => {
  template = templateOf(everything().stack)
})

/** The logical id that begins so, and ends with the hash that CDK adds. */
function idOf(name: string): string {
  const found = Object.keys(template.Resources).filter((id) =>
    new RegExp(`^${name}[0-9A-F]{8}$`).test(id),
  )
  if (found.length !== 1) throw new Error(`${found.length} resources begin with ${name}`)
  return found[0] ?? ''
}

const one = (name: string): Record<string, unknown> =>
  template.Resources[idOf(name)]?.Properties ?? {}

const arnOf = (name: string): object => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] })

function statementsOf(consumer: string) {
  const { roles } = fromTemplate(template)
  return roles.find(({ id }) => id === idOf(`${consumer}Role`))?.statements ?? []
}

/** `action on resource`, without the log. */
const permissionsOf = (consumer: string): string[] =>
  statementsOf(consumer).flatMap(({ actions, resources }) =>
    actions
      .filter((action) => !action.startsWith('logs:'))
      .flatMap((action) => resources.map((resource) => `${action} on ${resource}`)),
  )

const tagsOf = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    (properties['Tags'] as { Key: string; Value: unknown }[]).map(({ Key, Value }) => [Key, Value]),
  )

it('the doctor finds nothing but the raw delivery that was asked for, and a queue that others consume', () => {
  const findings = diagnose(fromTemplate(template))
  expect(findings.map(({ rule, subject }) => `${rule}: ${subject}`)).toEqual([
    expect.stringMatching(/^raw-delivery: ordersQueueEverythingBare/),
    expect.stringMatching(/^unread: Archive/),
  ])
})

describe('a consumer', () => {
  it('has redrive policies both ways, 14 days for dead letters, and six timeouts of visibility', () => {
    expect(one('ordersQueue')).toMatchObject({
      VisibilityTimeout: 180,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: arnOf('ordersDeadLetters'), maxReceiveCount: 10 },
    })
    const { RedriveAllowPolicy, ...rest } = one('ordersDeadLetters')
    expect(rest).toMatchObject({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true })
    expect(RedriveAllowPolicy).toMatchObject({ redrivePermission: 'byQueue' })
    expect(JSON.stringify(RedriveAllowPolicy)).toContain(
      `:${String(one('ordersQueue')['QueueName'])}"`,
    )
  })

  it('reports failed records alone, and waits for its permissions', () => {
    expect(one('ordersMapping')).toMatchObject({
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BatchSize: 10,
      ScalingConfig: { MaximumConcurrency: 10 },
    })
    expect(template.Resources[idOf('ordersMapping')]).toMatchObject({
      DependsOn: expect.arrayContaining([idOf('ordersRoleDefaultPolicy')]),
    })
  })

  it('has the permissions of the runbook, on exact resources', () => {
    const granted = statementsOf('orders').flatMap(({ actions }) => actions)
    const ofWrites = ['dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem']
    const own = [...ofWrites, ...readmeActions('of a consumer')]
    expect(new Set(granted.filter((each) => !each.startsWith('logs:')))).toEqual(new Set(own))
    const resources = statementsOf('orders').flatMap((each) => each.resources)
    expect(resources.filter((each) => each.includes('*'))).toEqual([])
  })

  it('keeps what SNS cannot deliver in queues of the kind of the topic', () => {
    expect(one('ordersUndelivered')).not.toHaveProperty('FifoQueue')
    expect(one('ordersUndeliveredFifo')).toMatchObject({ FifoQueue: true })
    expect(one('inOrderUndeliveredFifo')).toMatchObject({ FifoQueue: true })
    const delivery = Object.values(template.Resources)
      .filter(
        ({ Type, Properties }) =>
          Type === 'AWS::SNS::Subscription' && Properties['Protocol'] === 'sqs',
      )
      .map(({ Properties }) => [Properties['RawMessageDelivery'], 'RedrivePolicy' in Properties])
    expect(delivery).toEqual([
      [false, true],
      [true, true],
      [false, true],
      [false, true],
    ])
  })

  it('is FIFO with a FIFO dead-letter queue', () => {
    expect(one('inOrderQueue')).toMatchObject({
      FifoQueue: true,
      QueueName: expect.stringMatching(/\.fifo$/),
    })
    expect(one('inOrderDeadLetters')).toMatchObject({ FifoQueue: true })
  })

  it('tells its name and dependencies by tags, on a function that was handed in too', () => {
    expect(tagsOf(one('ordersFunction'))).toEqual({ 'lineclear:consumer': 'orders' })
    expect(tagsOf(one('ordersMapping'))).toEqual({
      'lineclear:consumer': 'orders',
      'lineclear:table': { Ref: idOf('Table') },
    })
    expect(tagsOf(one('Own'))).toEqual({ 'lineclear:consumer': 'given' })
    expect(tagsOf(one('checkoutchargeFunction'))).toEqual({
      'lineclear:flow': 'checkout',
      'lineclear:stage': 'charge',
      'lineclear:dependency': 'payments ledger',
    })
  })

  it('runs on Managed Instances, with as much memory and as many invocations at once as they need', () => {
    const stack = newStack('Managed')
    const table = new LineclearTable(stack, 'Table', { alarmEmail: 'oncall@example.com' })
    managed(stack, table, vpcIn(stack))
    const functions = Object.values(templateOf(stack).Resources).filter(
      ({ Type }) => Type === 'AWS::Lambda::Function',
    )
    expect(functions.map(({ Properties }) => Properties)).toContainEqual(
      expect.objectContaining({
        MemorySize: 2_048,
        Timeout: 900,
        CapacityProviderConfig: {
          LambdaManagedInstancesCapacityProviderConfig: {
            CapacityProviderArn: { 'Fn::GetAtt': [expect.stringMatching(/^Capacity/), 'Arn'] },
            PerExecutionEnvironmentMaxConcurrency: 10,
          },
        },
      }),
    )
  })

  it('gives a function that was handed in the table and its permissions', () => {
    expect(one('Own')['Environment']).toEqual({
      Variables: { LINECLEAR_TABLE: { Ref: idOf('Table') } },
    })
    const { Roles } = one('OwnServiceRoleDefaultPolicy') as { Roles: object[] }
    expect(Roles).toEqual([{ Ref: idOf('OwnServiceRole') }])
    // Three seconds is what Lambda takes where nothing is set.
    expect(one('givenQueue')['VisibilityTimeout']).toBe(18)
  })
})

describe('a flow', () => {
  const names = ['validate', 'charge', 'settled']

  it('lets each stage and answer step send to every queue of the flow, and to no other', () => {
    for (const name of names) {
      const sends = permissionsOf(`checkout${name}`).filter((each) =>
        each.startsWith('sqs:SendMessage'),
      )
      const targets = [...names.map((each) => `checkout${each}Queue`), `checkout${name}DeadLetters`]
      expect(new Set(sends)).toEqual(
        new Set(targets.map((target) => `sqs:SendMessage on ${idOf(target)}`)),
      )
    }
  })

  it('tells each of them the queues, and calls the export of its name', () => {
    for (const name of names) {
      const { Environment, Handler } = one(`checkout${name}Function`)
      expect(Handler).toBe(`index.${name}`)
      expect(Environment).toMatchObject({
        Variables: {
          VALIDATE_QUEUE: { Ref: idOf('checkoutvalidateQueue') },
          CHARGE_QUEUE: { Ref: idOf('checkoutchargeQueue') },
          SETTLED_QUEUE: { Ref: idOf('checkoutsettledQueue') },
        },
      })
    }
    expect(one('tripfindHotelFunction')['Environment']).toMatchObject({
      Variables: { FIND_HOTEL_QUEUE: { Ref: idOf('tripfindHotelQueue') } },
    })
  })

  it('reports its stages by flow and stage', () => {
    const alarm = JSON.stringify(one('checkoutchargeUnendedAlarm'))
    expect(alarm).toContain('{"Name":"flow","Value":"checkout"},{"Name":"stage","Value":"charge"}')
  })
})

describe('the sweeper', () => {
  it('has the permissions of the runbook, and sends to flows made before and after it', () => {
    const granted = permissionsOf('Sweeper').map((each) => each.split(' ')[0])
    expect(new Set(granted)).toEqual(new Set(readmeActions('of the sweeper')))
    const sends = permissionsOf('Sweeper').filter((each) => each.startsWith('sqs:'))
    const targets = [
      'Archive',
      'checkoutvalidateQueue',
      'checkoutchargeQueue',
      'checkoutsettledQueue',
    ]
    expect(new Set(sends)).toEqual(
      new Set(
        [...targets, 'tripfindHotelQueue'].map((target) => `sqs:SendMessage on ${idOf(target)}`),
      ),
    )
  })

  it('may end the pauses of the mappings of its table, and of no others', () => {
    const { PolicyDocument } = one('SweeperRoleDefaultPolicy')
    const { Statement } = PolicyDocument as { Statement: { Action: unknown }[] }
    const resumes = Statement.filter(({ Action }) => Action === 'lambda:UpdateEventSourceMapping')
    expect(resumes).toMatchObject([
      {
        Condition: { StringEquals: { 'aws:ResourceTag/lineclear:table': { Ref: idOf('Table') } } },
      },
    ])
    expect(JSON.stringify(resumes)).toContain(':event-source-mapping:*')
  })

  it('is told apart from a stopped one', () => {
    expect(one('SweeperSilentAlarm')).toMatchObject({
      MetricName: 'missingTasks',
      Statistic: 'SampleCount',
      TreatMissingData: 'breaching',
    })
  })

  it('needs the name of its table', async () => {
    vi.stubEnv('LINECLEAR_TABLE', undefined)
    await expect(import('../../../src/tools/cdk/sweeperFunction.ts')).rejects.toThrow(
      /tableName: expected the name of a DynamoDB table/,
    )
    vi.stubEnv('LINECLEAR_TABLE', 'lineclear')
    vi.resetModules()
    const { handler } = await import('../../../src/tools/cdk/sweeperFunction.ts')
    expect(handler).toBeTypeOf('function')
  })
})

describe('an operator', () => {
  const role = () => fromTemplate(template).roles.find(({ id }) => id === idOf('OnCall'))

  it('has the permissions of the runbook', () => {
    const granted = role()?.statements.flatMap(({ actions }) => actions)
    expect(new Set(granted)).toEqual(new Set(readmeActions('of an operator')))
  })

  it('has them on the queues of what was named; only what has no resource is on all', () => {
    const wide = role()?.statements.filter(({ resources }) => resources.includes('*'))
    expect(wide?.flatMap(({ actions }) => actions)).toEqual([
      'sqs:ListQueues',
      'lambda:ListEventSourceMappings',
      'sns:GetSubscriptionAttributes',
    ])
    const received = role()?.statements.filter(({ actions }) =>
      actions.includes('sqs:ReceiveMessage'),
    )
    const names = [
      ...['orders', 'checkoutvalidate', 'checkoutcharge', 'checkoutsettled'].flatMap((name) => [
        `${name}Queue`,
        `${name}DeadLetters`,
      ]),
      'ordersUndelivered',
      'ordersUndeliveredFifo',
    ]
    expect(new Set(received?.flatMap(({ resources }) => resources))).toEqual(
      new Set(names.map(idOf)),
    )
  })

  it('pauses the mappings of the table, and no others', () => {
    const { PolicyDocument } = one('OnCallDefaultPolicy') as {
      PolicyDocument: { Statement: Record<string, unknown>[] }
    }
    const pausing = PolicyDocument.Statement.filter((each) =>
      JSON.stringify(each['Action']).includes('UpdateEventSourceMapping'),
    )
    expect(pausing).toMatchObject([
      {
        Condition: { StringEquals: { 'aws:ResourceTag/lineclear:table': { Ref: idOf('Table') } } },
      },
    ])
  })
})

describe('the topic of the alarms', () => {
  it('admits CloudWatch, which its own policy would keep out', () => {
    expect(one('TableAlarmsPolicy')['PolicyDocument']).toMatchObject({
      Statement: [
        { Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
        { Effect: 'Allow', Principal: { Service: 'cloudwatch.amazonaws.com' } },
      ],
    })
  })
})

/** What a default protects from: without it the doctor has a finding. */
describe('the doctor notices when a default is taken away', () => {
  const without: readonly (readonly [rule: string, id: string, property: string])[] = [
    ['visibility-timeout', 'ordersQueue', 'VisibilityTimeout'],
    ['dead-letter-queue', 'ordersQueue', 'RedrivePolicy'],
    ['redrive-allow', 'ordersDeadLetters', 'RedriveAllowPolicy'],
    ['dead-letter-retention', 'ordersDeadLetters', 'MessageRetentionPeriod'],
    ['partial-failures', 'ordersMapping', 'FunctionResponseTypes'],
    ['maximum-concurrency', 'ordersMapping', 'ScalingConfig'],
    ['table-ttl', 'Table', 'TimeToLiveSpecification'],
    ['table-recovery', 'Table', 'PointInTimeRecoverySpecification'],
    ['table-deletion', 'Table', 'DeletionProtectionEnabled'],
    ['table-index', 'Table', 'GlobalSecondaryIndexes'],
    ['table-billing', 'Table', 'BillingMode'],
    ['permissions-missing', 'ordersRoleDefaultPolicy', 'PolicyDocument'],
    ['alarm-actions', 'ordersAgeAlarm', 'AlarmActions'],
    ['dead-letter-alarm', 'ordersDeadLettersAlarm', 'MetricName'],
    ['age-alarm', 'ordersAgeAlarm', 'MetricName'],
    ['recursion-alarm', 'ordersRecursionAlarm', 'MetricName'],
    ['sweeper-alarm', 'SweeperSilentAlarm', 'TreatMissingData'],
    ['delays-sweeper', 'SweeperRule', 'ScheduleExpression'],
    ['queue-policy', 'ordersUndeliveredPolicy', 'Queues'],
  ]
  it.each(without)('%s: %s without %s', (rule, id, property) => {
    const wrong = structuredClone(template)
    delete wrong.Resources[idOf(id)]?.Properties[property]
    expect(diagnose(fromTemplate(wrong)).map((finding) => finding.rule)).toContain(rule)
  })
})

it('warms the index with its table: a cold index throttles the writes of both', () => {
  const stack = newStack()
  const warmThroughput = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 8_000 }
  const table = new LineclearTable(stack, 'Warm', { tableProps: { warmThroughput } })
  expect(table.tableName).toBeDefined()
  const { Resources } = templateOf(stack)
  const [warm] = Object.values(Resources).filter(({ Type }) => Type === 'AWS::DynamoDB::Table')
  const throughput = { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 }
  expect(warm?.Properties).toMatchObject({
    WarmThroughput: throughput,
    GlobalSecondaryIndexes: [{ WarmThroughput: throughput }],
  })
})

describe('a function that is called', () => {
  it('has alarms, and touches the items of its own scopes', () => {
    for (const metric of ['Errors', 'Throttles', 'Duration'])
      expect(one(`refunds${metric}Alarm`)).toMatchObject({
        MetricName: metric,
        Dimensions: [{ Name: 'FunctionName', Value: { Ref: idOf('refundsFunction') } }],
        AlarmActions: [{ Ref: expect.stringMatching(/^Table/) }],
      })
    const policy = JSON.stringify(one('refundsRoleDefaultPolicy'))
    for (const scope of ['refunds', 'payouts']) expect(policy).toContain(`"key#${scope}/*"`)
    expect(policy).not.toContain('sqs:')
    expect(one('refundsFunction')['Environment']).toMatchObject({
      Variables: { LINECLEAR_TABLE: { Ref: idOf('Table') } },
    })
  })
})

it.each([
  [undefined, ' --table Orders-lineclear'],
  ['lineclear', ''],
  ['claims', ' --table claims'],
])('the commands of alarms name a table called %s', (tableName, flag) => {
  const stack = newStack()
  const table = new LineclearTable(stack, 'Table', tableName === undefined ? {} : { tableName })
  new LineclearConsumer(stack, 'orders', { table, entry: ENTRY })
  new LineclearCall(stack, 'refunds', { table, entry: ENTRY })
  const texts = Object.values(templateOf(stack).Resources)
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .map(({ Properties }) => String(Properties['AlarmDescription']))
  expect(texts.filter((text) => text.endsWith(`Next: lineclear status${flag}`)).length).toBe(4)
  expect(texts).toContain(
    'Lambda refused an invocation, because a concurrency limit was reached. Next: nothing at first',
  )
})
