import awsLite from '@aws-lite/client'
import { ListQueuesCommand } from '@aws-sdk/client-sqs'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'

type Methods<Name extends string> = Readonly<
  Record<Name, (input: object) => Promise<Readonly<Record<string, unknown>>>>
>
/** What the plugins add to the client; their types are packages of their own. */
interface Plugins {
  readonly DynamoDB: Methods<
    | 'BatchGetItem'
    | 'BatchWriteItem'
    | 'GetItem'
    | 'PutItem'
    | 'Query'
    | 'TransactWriteItems'
    | 'UpdateItem'
  >
  readonly SQS: Methods<'DeleteMessage' | 'GetQueueAttributes' | 'ReceiveMessage' | 'SendMessage'>
  readonly SNS: Methods<'Publish'>
}

const TableName = 'items'
const TEXT = 'tea & "cake" <é> 100% +1 😀'
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { orders: { visibilityTimeout: 60 }, 'ordered.fifo': {}, paid: {} },
    topics: { bills: { subscriptions: [{ queue: 'paid' }] } },
    tables: { [TableName]: { hash: 'pk', range: 'sk' } },
  })
})
afterAll(() => cloud.stop())

/** A client of it has one endpoint for all services. */
async function clientAt(endpoint = ''): Promise<Plugins> {
  const keys = { accessKeyId: 'local', secretAccessKey: 'local' }
  const client: unknown = await awsLite({
    ...keys,
    region: cloud.region,
    endpoint,
    autoloadPlugins: true,
  })
  return client as Plugins
}

async function listedUrl(name: string): Promise<string> {
  const list = new ListQueuesCommand({ QueueNamePrefix: name })
  const { QueueUrls: [url = ''] = [] } = await cloud.sqs.send(list)
  return url
}

it('puts, gets and updates on a condition', async () => {
  const { DynamoDB } = await clientAt(cloud.endpoints.dynamodb)
  const Key = { pk: 'a', sk: '1' }
  const Item = { ...Key, n: 1, list: [TEXT, { y: null }] }
  await DynamoDB.PutItem({ TableName, Item })
  expect((await DynamoDB.GetItem({ TableName, Key }))['Item']).toEqual(Item)
  const update = {
    TableName,
    Key,
    UpdateExpression: 'SET n = n + :one',
    ConditionExpression: 'n = :one',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'ALL_NEW',
  }
  expect(await DynamoDB.UpdateItem(update)).toMatchObject({ Attributes: { n: 2 } })
  await expect(DynamoDB.UpdateItem(update)).rejects.toMatchObject({
    statusCode: 400,
    code: 'ConditionalCheckFailedException',
  })
})

it('writes and gets batches, queries in pages, and writes a transaction', async () => {
  const { DynamoDB } = await clientAt(cloud.endpoints.dynamodb)
  const keys = ['1', '2', '3', '4', '5'].map((sk) => ({ pk: 'b', sk }))
  const RequestItems = { [TableName]: keys.map((Item) => ({ PutRequest: { Item } })) }
  expect(await DynamoDB.BatchWriteItem({ RequestItems })).toMatchObject({ UnprocessedItems: {} })
  const got = await DynamoDB.BatchGetItem({ RequestItems: { [TableName]: { Keys: keys } } })
  expect(got).toMatchObject({ Responses: { [TableName]: expect.arrayContaining(keys) } })
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'b' },
    Limit: 2,
  }
  const LastEvaluatedKey = { pk: { S: 'b' }, sk: { S: '2' } }
  expect(await DynamoDB.Query(query)).toMatchObject({ Count: 2, LastEvaluatedKey })
  expect(await DynamoDB.Query({ ...query, paginate: true })).toMatchObject({ Items: keys })
  const checked = { ConditionExpression: 'attribute_not_exists(pk)', TableName }
  const TransactItems = ['6', '5'].map((sk) => ({ Put: { ...checked, Item: { pk: 'b', sk } } }))
  await expect(DynamoDB.TransactWriteItems({ TransactItems })).rejects.toMatchObject({
    code: 'TransactionCanceledException',
    CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
  })
})

it('sends, receives and deletes a message, and counts', async () => {
  const { SQS } = await clientAt(cloud.endpoints.sqs)
  const QueueUrl = await listedUrl('orders')
  const { MessageId, MD5OfMessageBody: MD5OfBody } = await SQS.SendMessage({
    QueueUrl,
    MessageBody: TEXT,
  })
  const { Messages } = await SQS.ReceiveMessage({ QueueUrl })
  expect(Messages).toMatchObject([{ MessageId, MD5OfBody, Body: TEXT }])
  const [{ ReceiptHandle }] = Messages as [{ ReceiptHandle: string }]
  await SQS.DeleteMessage({ QueueUrl, ReceiptHandle })
  await SQS.SendMessage({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 })
  expect(await SQS.GetQueueAttributes({ QueueUrl, AttributeNames: ['All'] })).toMatchObject({
    Attributes: {
      ApproximateNumberOfMessages: '0',
      ApproximateNumberOfMessagesNotVisible: '0',
      ApproximateNumberOfMessagesDelayed: '1',
    },
  })
})

it('sends to a FIFO queue once, and is told why nothing is sent', async () => {
  const { SQS } = await clientAt(cloud.endpoints.sqs)
  const QueueUrl = await listedUrl('ordered')
  const message = { QueueUrl, MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' }
  const first = await SQS.SendMessage(message)
  expect(await SQS.SendMessage(message)).toEqual(first)
  expect(cloud.inspectQueue('ordered.fifo').ready).toMatchObject([{ body: 'x' }])
  await expect(SQS.SendMessage({ QueueUrl, MessageBody: 'x' })).rejects.toMatchObject({
    statusCode: 400,
    code: 'MissingParameter',
  })
  const nowhere = { QueueUrl: `${QueueUrl}-not`, MessageBody: 'x' }
  await expect(SQS.SendMessage(nowhere)).rejects.toMatchObject({
    statusCode: 400,
    code: 'AWS.SimpleQueueService.NonExistentQueue',
  })
})

it('publishes to a subscribed queue', async () => {
  const { SNS } = await clientAt(cloud.endpoints.sns)
  const TopicArn = cloud.topicArn('bills')
  const { PublishResult } = await SNS.Publish({ TopicArn, Message: TEXT, Subject: 'a' })
  const bodies = cloud.inspectQueue('paid').ready.map(({ body }) => JSON.parse(body) as object)
  expect(bodies).toMatchObject([
    {
      ...(PublishResult as object),
      TopicArn,
      Message: TEXT,
      Subject: 'a',
    },
  ])
  const nowhere = { TopicArn: `${TopicArn}-not`, Message: 'x' }
  await expect(SNS.Publish(nowhere)).rejects.toMatchObject({ statusCode: 404, code: 'NotFound' })
})
