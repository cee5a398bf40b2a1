import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from 'lineclear/local'

/** All items of a table, texts and numbers as such. */
export async function rowsOf(
  cloud: LocalCloud,
  table: string,
): Promise<readonly Readonly<Record<string, string | number | undefined>>[]> {
  const scan = new ScanCommand({ TableName: table, ConsistentRead: true })
  const { Items = [] } = await cloud.dynamodb.send(scan)
  return Items.map((item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)])),
  )
}

function plain({ S, N }: AttributeValue): string | number | undefined {
  return N === undefined ? S : Number(N)
}
