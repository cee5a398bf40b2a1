import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** As clients without the JSON protocol send: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-making-api-requests-xml.html */
const QUERY = { Action: 'SendMessage', Version: '2012-11-05', MessageBody: 'a+b &c' }
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { posted: {}, got: {}, guarded: {}, published: {} },
    topics: { news: { subscriptions: [{ queue: 'published', raw: true }] } },
    buckets: ['payloads'],
  })
})
afterAll(() => cloud.stop())

const sending = (queue: string, more: object = {}): URLSearchParams =>
  new URLSearchParams({ ...QUERY, QueueUrl: cloud.queueUrl(queue), ...more })
const bodies = (queue: string) => cloud.inspectQueue(queue).ready.map(({ body }) => body)

it('a form sends, with attributes and a delay', async () => {
  const body = sending('posted', {
    'MessageAttribute.1.Name': 'n',
    'MessageAttribute.1.Value.DataType': 'Number',
    'MessageAttribute.1.Value.StringValue': '10',
    'MessageAttribute.2.Name': 'kind',
    'MessageAttribute.2.Value.DataType': 'Binary',
    'MessageAttribute.2.Value.BinaryValue': 'AQI=',
    'MessageSystemAttribute.1.Name': 'AWSTraceHeader',
    'MessageSystemAttribute.1.Value.DataType': 'String',
    'MessageSystemAttribute.1.Value.StringValue': 'Root=1-0-0',
  })
  const answer = await fetch(cloud.endpoints.sqs ?? '', { method: 'POST', body })
  const { Messages: [message] = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: cloud.queueUrl('posted'),
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  )
  expect(message).toMatchObject({
    Body: 'a+b &c',
    MessageAttributes: {
      n: { DataType: 'Number', StringValue: '10' },
      kind: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    },
    Attributes: { AWSTraceHeader: 'Root=1-0-0' },
  })
  const { MessageId, MD5OfBody, MD5OfMessageAttributes } = message ?? {}
  const told = await answer.text()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/xml')
  for (const part of [
    `<MessageId>${MessageId}</MessageId>`,
    `<MD5OfMessageBody>${MD5OfBody}</MD5OfMessageBody>`,
    `<MD5OfMessageAttributes>${MD5OfMessageAttributes}</MD5OfMessageAttributes>`,
  ]) {
    expect(told).toContain(part)
  }
  const later = sending('posted', { DelaySeconds: '900' })
  await fetch(cloud.endpoints.sqs ?? '', { method: 'POST', body: later })
  expect(await cloud.queueDepth('posted')).toMatchObject({ ready: 0, delayed: 1 })
})

it('GET does the same, of topics too, and lists buckets without an action', async () => {
  const ask = async (query: URLSearchParams | string): Promise<string> =>
    (await fetch(`${cloud.endpoints.sqs}/?${query}`)).text()
  await ask(sending('got'))
  expect(bodies('got')).toEqual(['a+b &c'])
  const news = { Action: 'Publish', TopicArn: cloud.topicArn('news'), Message: 'a+b &c' }
  await ask(new URLSearchParams(news))
  expect(bodies('published')).toEqual(['a+b &c'])
  expect(await ask('x-id=ListBuckets')).toContain('<Name>payloads</Name>')
})

it('a web page sends nothing by it', async () => {
  const page = { headers: { 'sec-fetch-site': 'cross-site' } }
  const { status } = await fetch(`${cloud.endpoints.sqs}/?${sending('guarded')}`, page)
  expect([status, bodies('guarded')]).toEqual([403, []])
})
