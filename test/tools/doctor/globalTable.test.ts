import { expect, it } from 'vitest'
import { diagnose } from '../../../src/tools/doctor/rules/diagnose.ts'
import { fromAccount } from '../../../src/tools/doctor/account/fromAccount.ts'
import { fromTemplate } from './from.ts'

const globalTable = (more: object = {}) => ({
  Resources: {
    Lineclear: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        TableName: 'lineclear',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
        Replicas: ['eu-west-1', 'us-east-1'].map((Region) => ({
          Region,
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        })),
        ...more,
      },
    },
  },
})

const rulesOf = (template: object): readonly string[] =>
  diagnose(fromTemplate(template))
    .filter(({ subject }) => subject === 'Lineclear')
    .map(({ rule }) => rule)

it('a global table is read like any other, and needs its consumers in one Region', () => {
  expect(rulesOf(globalTable())).toEqual(['table-index', 'table-regions'])
})

it('with strong consistency over Regions it is an error: there are no transactions', () => {
  expect(rulesOf(globalTable({ MultiRegionConsistency: 'STRONG' }))).toContain(
    'table-strong-regions',
  )
})

it('one Region is no finding', () => {
  const [replica] = globalTable().Resources.Lineclear.Properties.Replicas
  expect(rulesOf(globalTable({ Replicas: [replica] }))).toEqual(['table-index'])
})

it('an account shows its Regions', async () => {
  const answers: Readonly<Record<string, object>> = {
    DescribeTableCommand: {
      Table: {
        TableArn: 'arn:aws:dynamodb:eu-west-1:1:table/lineclear',
        Replicas: [{ RegionName: 'us-east-1' }],
        MultiRegionConsistency: 'STRONG',
      },
    },
    DescribeTimeToLiveCommand: {},
    DescribeContinuousBackupsCommand: {},
  }
  const client = { send: async (command: object) => answers[command.constructor.name] }
  const clients = { dynamodb: client, sqs: client } as never
  const { tables } = await fromAccount(clients, { queueUrls: [] })
  expect(tables).toMatchObject([{ regions: ['eu-west-1', 'us-east-1'], consistency: 'strong' }])
})
