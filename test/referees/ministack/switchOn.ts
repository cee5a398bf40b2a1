import {
  type DynamoDBClient,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { Template } from '../../documents/deploy/packaged.ts'

interface Table {
  readonly TableName: string
  readonly TimeToLiveSpecification?: { readonly AttributeName: string; readonly Enabled: boolean }
  readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled: boolean }
}

/** Settings of the template's tables that this engine ignores. */
export async function switchOn(client: DynamoDBClient, { Resources }: Template): Promise<void> {
  for (const { Type, Properties } of Object.values(Resources)) {
    if (Type !== 'AWS::DynamoDB::Table') continue
    const { TableName, ...table } = Properties as unknown as Table
    const { TimeToLiveSpecification, PointInTimeRecoverySpecification } = table
    if (TimeToLiveSpecification !== undefined) {
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }))
    }
    if (PointInTimeRecoverySpecification !== undefined) {
      const input = { TableName, PointInTimeRecoverySpecification }
      await client.send(new UpdateContinuousBackupsCommand(input))
    }
  }
}
