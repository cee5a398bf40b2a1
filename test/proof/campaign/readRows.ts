import { ScanCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from '../../../src/testing/local/index.ts'

export type Row = Readonly<Record<string, { S?: string; N?: string } | undefined>>

export async function readRows(cloud: LocalCloud, table: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  let from: Record<string, never> | undefined
  do {
    const input = {
      TableName: table,
      ConsistentRead: true,
      ...(from && { ExclusiveStartKey: from }),
    }
    const page = await cloud.dynamodb.send(new ScanCommand(input))
    rows.push(...((page.Items ?? []) as unknown as Row[]))
    from = page.LastEvaluatedKey as Record<string, never> | undefined
  } while (from !== undefined)
  return rows
}
