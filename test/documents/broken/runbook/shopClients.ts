import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'
import type { BrokenShop } from '../brokenShop.ts'

const LOCAL = {
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
}

/** What a sender of the shop does, and what its own tables and queues hold. */
export async function clientsOf({ place }: BrokenShop) {
  const at = JSON.parse(await readFile(join(place, '.lineclear/local.json'), 'utf8')) as {
    readonly sqs: string
    readonly dynamodb: string
  }
  const sqs = new SQSClient({ ...LOCAL, endpoint: at.sqs })
  const dynamodb = new DynamoDBClient({ ...LOCAL, endpoint: at.dynamodb })
  const urlOf = async (QueueName: string): Promise<string> =>
    (await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl ?? ''
  const stock = async (sku: string, field: string): Promise<number> => {
    const Key = { sku: { S: sku } }
    const { Item } = await dynamodb.send(new GetItemCommand({ TableName: 'stock', Key }))
    return Number(Item?.[field]?.N ?? 0)
  }
  return {
    sendInto: async (queue: string, uniqueRequestId: string, payload: object) =>
      producer({ clients: { sqs } }).send(await urlOf(queue), payload, { uniqueRequestId }),
    /** Dead letters of orders that are visible. */
    orders: async (): Promise<number> => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: await urlOf('orders-dead'),
          AttributeNames: ['ApproximateNumberOfMessages'],
        }),
      )
      return Number(Attributes?.['ApproximateNumberOfMessages'])
    },
    reserved: (sku: string) => stock(sku, 'reserved'),
    printed: (what = 'label') => stock(what, 'printed'),
  }
}
