import { tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'
import { diagnose, type Finding, fromAccount } from '../../src/doctor/index.ts'
import type { LambdaReader } from '../../src/doctor/index.ts'

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

it('reads mappings and functions, page by page, by the client of Lambda', async () => {
  await using cloud = await startLocalCloud({
    queues: { orders: { visibilityTimeout: 60 } },
    tables: { lineclear: tableDefinition() },
  })
  const { sqs, dynamodb } = cloud
  const queueUrls = [cloud.queueUrl('orders')]
  const deployment = await fromAccount({ sqs, dynamodb, lambda: lambdaApi() }, { queueUrls })
  const findings = diagnose(deployment)
  expect(subjects(findings, 'visibility-timeout')).toHaveLength(2)
  expect(subjects(findings, 'partial-failures')).toEqual(['m2'])
  expect(subjects(findings, 'recursion')).toEqual(['f1', 'f2'])
  expect(unchecked(findings)).not.toContain('visibility-timeout')
  expect(unchecked(findings)).toContain('permissions-missing')
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

/** Two mappings on two pages, as the API of Lambda answers. */
function lambdaApi(): LambdaReader {
  return {
    listEventSourceMappings: async ({ Marker }) =>
      Marker === undefined
        ? {
            EventSourceMappings: [
              { UUID: 'm1', FunctionArn: 'f1', FunctionResponseTypes: ['ReportBatchItemFailures'] },
            ],
            NextMarker: '2',
          }
        : { EventSourceMappings: [{ UUID: 'm2', FunctionArn: 'f2' }] },
    getFunctionConfiguration: async ({ FunctionName }) => ({
      FunctionArn: FunctionName,
      Timeout: 30,
    }),
    getFunctionRecursionConfig: async () => ({ RecursiveLoop: 'Allow' }),
  }
}

function subjects(findings: readonly Finding[], rule: string): string[] {
  return findings
    .filter((finding) => finding.rule === rule && finding.severity !== 'unchecked')
    .map(({ subject }) => subject)
}

function unchecked(findings: readonly Finding[]): string[] {
  return findings.filter(({ severity }) => severity === 'unchecked').map(({ rule }) => rule)
}
