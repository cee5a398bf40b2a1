import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import {
  CreateTopicCommand,
  PublishBatchCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns'
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { orders: { visibilityTimeout: 60 } },
    tables: { items: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())
beforeEach(() => {
  for (const [name, value] of Object.entries(cloud.environment)) vi.stubEnv(name, value)
})

it('a queue by its listed URL: a batch is sent, received, hidden, and deleted', async () => {
  const sqs = new SQSClient()
  const { QueueUrls: [QueueUrl] = [] } = await sqs.send(
    new ListQueuesCommand({ QueueNamePrefix: 'orders' }),
  )
  const Entries = ['a', 'b'].map((Id) => ({
    Id,
    MessageBody: Id,
    MessageAttributes: { kind: { DataType: 'String', StringValue: Id } },
  }))
  const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }))
  expect(sent.Successful).toHaveLength(2)
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['ApproximateReceiveCount'],
  })
  const { Messages = [] } = await sqs.send(receive)
  expect(Messages).toMatchObject(
    ['a', 'b'].map((Body) => ({
      Body,
      MessageAttributes: { kind: { StringValue: Body } },
      Attributes: { ApproximateReceiveCount: '1' },
    })),
  )
  const [first] = Messages
  const ReceiptHandle = first?.ReceiptHandle
  await sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
  )
  const { Messages: again = [] } = await sqs.send(receive)
  expect(again).toMatchObject([{ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } }])
  const deleted = await sqs.send(
    new DeleteMessageBatchCommand({
      QueueUrl,
      Entries: [Messages[1], again[0]].map((message, at) => {
        return { Id: String(at), ReceiptHandle: message?.ReceiptHandle }
      }),
    }),
  )
  expect(deleted.Successful).toHaveLength(2)
  const counts = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
  expect((await sqs.send(counts)).Attributes).toMatchObject({
    ApproximateNumberOfMessages: '0',
    ApproximateNumberOfMessagesNotVisible: '0',
  })
  sqs.destroy()
})

it('a topic made by a client feeds a queue made by a client', async () => {
  const [sqs, sns] = [new SQSClient(), new SNSClient()]
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'made' }))
  const attributes = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })
  const Endpoint = (await sqs.send(attributes)).Attributes?.['QueueArn']
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'made' }))
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }))
  const PublishBatchRequestEntries = ['a', 'b'].map((Id) => ({ Id, Message: `<${Id}>` }))
  await sns.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }))
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
  )
  const bodies = Messages.map(({ Body = '' }) => JSON.parse(Body) as object)
  expect(bodies).toMatchObject(['<a>', '<b>'].map((Message) => ({ TopicArn, Message })))
  for (const client of [sqs, sns]) client.destroy()
})

it('tables: batches, pages, conditions and a transaction', async () => {
  const client = new DynamoDBClient()
  const RequestItems = {
    items: ['a', 'b', 'c'].map((id) => ({
      PutRequest: { Item: { id: { S: id }, n: { N: '0' } } },
    })),
  }
  const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems }))
  expect(UnprocessedItems).toEqual({})
  const update = {
    TableName: 'items',
    Key: { id: { S: 'a' } },
    UpdateExpression: 'SET n = n + :one',
    ConditionExpression: 'n = :zero',
    ExpressionAttributeValues: { ':one': { N: '1' }, ':zero': { N: '0' } },
  }
  const updated = new UpdateItemCommand({ ...update, ReturnValues: 'ALL_NEW' })
  expect((await client.send(updated)).Attributes).toEqual({ id: { S: 'a' }, n: { N: '1' } })
  await expect(client.send(updated)).rejects.toMatchObject({
    name: 'ConditionalCheckFailedException',
  })
  const Put = { TableName: 'items', Item: { id: { S: 'd' } } }
  const TransactItems = [{ Update: update }, { Put }]
  await expect(client.send(new TransactWriteItemsCommand({ TransactItems }))).rejects.toMatchObject(
    {
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
    },
  )
  await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }] }))
  const Keys = ['a', 'd', 'e'].map((id) => ({ id: { S: id } }))
  const got = await client.send(new BatchGetItemCommand({ RequestItems: { items: { Keys } } }))
  expect(got.Responses?.['items']).toHaveLength(2)
  const pages: number[] = []
  for await (const { Count = 0 } of paginateScan({ client, pageSize: 3 }, { TableName: 'items' })) {
    pages.push(Count)
  }
  expect(pages).toEqual([3, 1])
  client.destroy()
})

it('a table made by a client is waited for', async () => {
  const client = new DynamoDBClient()
  await client.send(
    new CreateTableCommand({
      TableName: 'made',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName: 'made' })
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'made' }))
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', ItemCount: 0 })
  client.destroy()
})
