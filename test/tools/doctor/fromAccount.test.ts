import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import type { DoctorFinding } from '../../../src/tools/doctor/rule.ts'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromAccount } from '../../../src/tools/doctor/account/fromAccount.ts'
import { serveLambda } from './lambdaServer.ts'

it('reads queues and their dead letters, and says what it could not check', async () => {
  await using cloud = await startLocalCloud({
    queues: {
      orders: { visibilityTimeout: 60, deadLetter: { queue: 'dead', maxReceiveCount: 3 } },
      dead: {},
      lonely: {},
    },
    tables: { lineclear: tableDefinition() },
  })
  const { sqs, dynamodb } = cloud
  const queueUrls = [cloud.queueUrl('orders'), cloud.queueUrl('lonely')]
  const deployment = await fromAccount({ sqs, dynamodb }, { queueUrls })
  expect(deployment.queues.map(({ id }) => id)).toEqual(
    ['orders', 'lonely', 'dead'].map((name) => cloud.queueArn(name)),
  )
  const findings = diagnose(deployment)
  expect(subjects(findings, 'max-receive-count')).toEqual([cloud.queueArn('orders')])
  expect(subjects(findings, 'dead-letter-queue')).toEqual([cloud.queueArn('lonely')])
  expect(subjects(findings, 'dead-letter-retention')).toEqual([cloud.queueArn('dead')])
  expect(subjects(findings, 'table-index')).toEqual([])
  expect(unchecked(findings)).toEqual(
    expect.arrayContaining(['visibility-timeout', 'recursion', 'table-recovery', 'queue-policy']),
  )
})

const F1 = 'arn:aws:lambda:us-east-1:000000000000:function:f1'
const F2 = 'arn:aws:lambda:us-east-1:000000000000:function:f2:live'

async function ordersCloud() {
  return startLocalCloud({
    queues: { orders: { visibilityTimeout: 60 } },
    tables: { lineclear: tableDefinition() },
  })
}

/** Two mappings on two pages; the second one, of an alias, is as wrong as can be. */
function twoMappings(orders: string) {
  return {
    mappings: {
      [orders]: [
        {
          UUID: 'm1',
          FunctionArn: F1,
          BatchSize: 10,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency: 5 },
        },
        {
          UUID: 'm2',
          FunctionArn: F2,
          BatchSize: 100,
          MaximumBatchingWindowInSeconds: 0,
          FilterCriteria: { Filters: [{ Pattern: '{"messageAttributes":{"lineclear":[]}}' }] },
        },
      ],
    },
    functions: { [F1]: { Timeout: 10 }, [F2]: { Timeout: 30 } },
    loops: { f2: 'Allow' },
  } as const
}

it('reads mappings and functions, page by page, over the protocol of Lambda', async () => {
  await using cloud = await ordersCloud()
  const orders = cloud.queueArn('orders')
  await using served = await serveLambda(twoMappings(orders))
  const { sqs, dynamodb } = cloud
  const queueUrls = [cloud.queueUrl('orders')]
  const deployment = await fromAccount({ sqs, dynamodb, lambda: served.lambda }, { queueUrls })
  const findings = diagnose(deployment)
  expect(deployment.mappings.map(({ id }) => id)).toEqual(['m1', 'm2'])
  expect(findings.find(({ rule }) => rule === 'visibility-timeout')).toMatchObject({
    subject: orders,
    problem: expect.stringContaining(`the timeout of ${F2} 30 s`) as string,
  })
  expect(subjects(findings, 'visibility-timeout')).toHaveLength(1)
  for (const rule of ['partial-failures', 'maximum-concurrency', 'event-filter']) {
    expect({ rule, of: subjects(findings, rule) }).toEqual({ rule, of: ['m2'] })
  }
  expect(subjects(findings, 'recursion')).toEqual([F2])
  expect(unchecked(findings)).not.toContain('visibility-timeout')
  expect(unchecked(findings)).toContain('permissions-missing')
})

it.each([
  [
    'ListEventSourceMappings',
    /event-source-mappings/,
    ['partial-failures', 'visibility-timeout', 'recursion'],
  ],
  ['GetFunctionConfiguration', /configuration$/, ['visibility-timeout', 'recursion']],
  ['GetFunctionRecursionConfig', /recursion-config$/, ['recursion']],
] as const)(
  '%s refused: says what was not checked, and how; the rest is',
  async (action, refused, rules) => {
    await using cloud = await ordersCloud()
    await using served = await serveLambda({ ...twoMappings(cloud.queueArn('orders')), refused })
    const { sqs, dynamodb } = cloud
    const options = { queueUrls: [cloud.queueUrl('orders')] }
    const findings = diagnose(await fromAccount({ sqs, dynamodb, lambda: served.lambda }, options))
    const all = ['partial-failures', 'visibility-timeout', 'recursion']
    expect(
      unchecked(findings)
        .filter((rule) => all.includes(rule))
        .toSorted(),
    ).toEqual([...rules].toSorted())
    for (const finding of findings.filter(
      ({ rule, severity }) => severity === 'unchecked' && all.includes(rule),
    )) {
      expect(finding.problem).toContain(`lambda:${action} is not allowed`)
      expect(finding.cure).toContain(`Allow lambda:${action}`)
    }
    expect(subjects(findings, 'dead-letter-queue')).toHaveLength(1)
  },
)

it('what Lambda does not answer is not taken for an empty answer', async () => {
  await using cloud = await ordersCloud()
  await using served = await serveLambda({
    ...twoMappings(cloud.queueArn('orders')),
    functions: {},
  })
  const { sqs, dynamodb } = cloud
  const options = { queueUrls: [cloud.queueUrl('orders')] }
  await expect(fromAccount({ sqs, dynamodb, lambda: served.lambda }, options)).rejects.toThrow(
    'no such function',
  )
})

it('the key of AWS is wrong for a queue whose policy admits a service, and for no other', async () => {
  await using cloud = await startLocalCloud({
    queues: { orders: {}, quiet: {} },
    tables: { lineclear: tableDefinition() },
  })
  const { sqs, dynamodb } = cloud
  const names = ['orders', 'quiet']
  const Policy = JSON.stringify({
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: '*',
        Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:sns:us-east-1:000000000000:placed' } },
      },
    ],
  })
  for (const name of names) {
    const Attributes = {
      KmsMasterKeyId: 'alias/aws/sqs',
      ...(name === 'orders' && { Policy }),
    }
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: cloud.queueUrl(name), Attributes }))
  }
  const queueUrls = names.map((name) => cloud.queueUrl(name))
  const findings = diagnose(await fromAccount({ sqs, dynamodb }, { queueUrls }))
  expect(subjects(findings, 'admitted-key')).toEqual([cloud.queueArn('orders')])
  const [found] = findings.filter(({ rule }) => rule === 'admitted-key')
  expect(found).toMatchObject({
    severity: 'error',
    problem: expect.stringContaining('its policy lets sns.amazonaws.com send to it') as string,
  })
})

it('says that there is no table', async () => {
  await using cloud = await startLocalCloud({
    queues: { orders: {} },
    tables: { lineclear: tableDefinition() },
  })
  const { sqs, dynamodb } = cloud
  const deployment = await fromAccount({ sqs, dynamodb }, { queueUrls: [], tableName: 'other' })
  expect(subjects(diagnose(deployment), 'table')).toEqual(['lineclear'])
})

function subjects(findings: readonly DoctorFinding[], rule: string): string[] {
  return findings
    .filter((finding) => finding.rule === rule && finding.severity !== 'unchecked')
    .map(({ subject }) => subject)
}

function unchecked(findings: readonly DoctorFinding[]): string[] {
  return findings.filter(({ severity }) => severity === 'unchecked').map(({ rule }) => rule)
}

it('tells runtimes, Regions, and mappings that are disabled', async () => {
  await using cloud = await ordersCloud()
  const orders = cloud.queueArn('orders')
  const elsewhere = F1.replace('us-east-1', 'eu-west-1')
  await using served = await serveLambda({
    mappings: { [orders]: [{ UUID: 'm1', FunctionArn: elsewhere, State: 'Disabled' }] },
    functions: { [elsewhere]: { Timeout: 10, Runtime: 'nodejs18.x' } },
  })
  const { sqs, dynamodb } = cloud
  const queueUrls = [cloud.queueUrl('orders')]
  const findings = diagnose(
    await fromAccount({ sqs, dynamodb, lambda: served.lambda }, { queueUrls }),
  )
  expect(subjects(findings, 'runtime')).toEqual([elsewhere])
  expect(subjects(findings, 'table-region')).toEqual([elsewhere])
  expect(findings.find(({ rule }) => rule === 'mapping-disabled')).toMatchObject({
    severity: 'question',
    subject: 'm1',
    consequence: expect.stringContaining('345600 s after they were sent'),
    cure: expect.stringContaining('lineclear pause'),
  })
})

it('tells capacity providers, durable functions and tenant isolation', async () => {
  await using cloud = await ordersCloud()
  const orders = cloud.queueArn('orders')
  const LambdaManagedInstancesCapacityProviderConfig = { CapacityProviderArn: 'arn' }
  await using served = await serveLambda({
    mappings: { [orders]: [{ UUID: 'm1', FunctionArn: F1 }] },
    functions: {
      [F1]: {
        Timeout: 5_400,
        CapacityProviderConfig: { LambdaManagedInstancesCapacityProviderConfig },
        DurableConfig: { ExecutionTimeout: 3_600 },
        TenancyConfig: { TenantIsolationMode: 'PER_TENANT' },
      },
    },
  })
  const { sqs, dynamodb } = cloud
  const queueUrls = [cloud.queueUrl('orders')]
  const findings = diagnose(
    await fromAccount({ sqs, dynamodb, lambda: served.lambda }, { queueUrls }),
  )
  for (const rule of ['function-timeout', 'instance-concurrency', 'durable-consumer']) {
    expect(subjects(findings, rule)).toEqual([F1])
  }
  expect(subjects(findings, 'tenant-isolation')).toEqual([F1])
})
