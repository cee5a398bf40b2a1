import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  DeleteCommand,
} from '@aws-sdk/lib-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import type { Stage } from '../stage.ts'
import { onManagedInstances } from './onManagedInstances.ts'
import type { Peer } from './peer.ts'

const TableName = 'locks'

export const look: Peer = {
  name: 'by hand: look, then mark',
  packages: [],
  better: 'no library',
  play: (stage) => {
    const tables = DynamoDBDocumentClient.from(stage.cloud.dynamodb)
    return onManagedInstances(stage, async ({ Records }: SQSEvent) => {
      for (const { body } of Records) {
        const { id } = JSON.parse(body) as { id: string }
        const { Item } = await tables.send(new GetCommand({ TableName, Key: { id } }))
        if (Item !== undefined) continue
        await stage.attempt()
        await tables.send(new PutCommand({ TableName, Item: { id } }))
      }
    })
  },
}

/** A lock that ends with the function's time, whose holder marks it as done, or frees it when it fails. */
export const lock: Peer = {
  name: 'by hand: a lock with a lease',
  packages: [],
  better: 'no library',
  play: (stage) =>
    onManagedInstances(stage, async ({ Records }: SQSEvent, context) => {
      const until = Date.now() + context.getRemainingTimeInMillis()
      for (const { body } of Records) {
        const { id } = JSON.parse(body) as { id: string }
        await locked(stage, id, until)
      }
    }),
}

async function locked({ cloud, attempt }: Stage, id: string, until: number): Promise<void> {
  const tables = DynamoDBDocumentClient.from(cloud.dynamodb)
  const { Item } = await tables.send(
    new GetCommand({ TableName, Key: { id }, ConsistentRead: true }),
  )
  if (Item?.['done'] === true) return
  await tables.send(
    new PutCommand({
      TableName,
      Item: { id, until },
      ConditionExpression: 'attribute_not_exists(id) OR #until < :now',
      ExpressionAttributeNames: { '#until': 'until' },
      ExpressionAttributeValues: { ':now': Date.now() },
    }),
  )
  try {
    await attempt()
    await tables.send(new PutCommand({ TableName, Item: { id, done: true } }))
  } catch (error) {
    await tables.send(new DeleteCommand({ TableName, Key: { id } }))
    throw error
  }
}
