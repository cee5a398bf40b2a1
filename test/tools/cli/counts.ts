import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from 'lineclear/local'

/** The count under `id` in the user's table. */
export async function countOf(cloud: LocalCloud, id: string): Promise<number> {
  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'counts', Key: { id: { S: id } }, ConsistentRead: true }),
  )
  return Number(Item?.['n']?.N ?? 0)
}
