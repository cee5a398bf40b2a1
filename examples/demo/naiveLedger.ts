import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { PublishCommand } from '@aws-sdk/client-sns'
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { LocalCloud, QueueHandler } from 'lineclear/local'
import { Callback } from './callbacks.ts'
import { entriesOf, type Entry } from './ledger.ts'
import { eachRecord } from './naiveRecords.ts'
import { TABLES } from './tables.ts'

/** What one writes first: look the transaction up, leave it when it is there, else book it and mark it. */
export function naiveLedger(cloud: LocalCloud): QueueHandler {
  const database = DynamoDBDocumentClient.from(cloud.dynamodb)

  async function take(body: string): Promise<void> {
    const { data: callback } = Callback.safeParse(JSON.parse(body))
    if (callback === undefined) return setAside(body)
    const { transactionId } = callback
    if (await isBooked(transactionId)) return
    const { debit, credit } = entriesOf(callback)
    await book(debit)
    await book(credit)
    await database.send(
      new PutCommand({ TableName: TABLES.naive.transactions, Item: { transactionId } }),
    )
    await cloud.sns.send(
      new PublishCommand({
        TopicArn: cloud.topicArn('naive-receipts'),
        Message: JSON.stringify(callback),
      }),
    )
  }

  async function isBooked(transactionId: string): Promise<boolean> {
    const Key = { transactionId }
    const { Item } = await database.send(
      new GetCommand({ TableName: TABLES.naive.transactions, Key, ConsistentRead: true }),
    )
    return Item !== undefined
  }

  async function book(entry: Entry): Promise<void> {
    await database.send(new PutCommand({ TableName: TABLES.naive.ledger, Item: entry }))
    await database.send(
      new UpdateCommand({
        TableName: TABLES.naive.accounts,
        Key: { account: entry.account },
        UpdateExpression: 'ADD balance :amount',
        ExpressionAttributeValues: { ':amount': entry.amount },
      }),
    )
  }

  /** A retry would not make it a callback. */
  async function setAside(body: string): Promise<void> {
    const QueueUrl = cloud.queueUrl('naive-callbacks-dead')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
  }

  return eachRecord(take)
}
