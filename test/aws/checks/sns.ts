import { PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { PublishBatchCommand, PublishCommand } from '@aws-sdk/client-sns'
import { type Check, LAXER, nameOf, outcomeOf } from './check.ts'
import type { Desk, Queue } from './desk.ts'

const GUIDE = 'https://docs.aws.amazon.com/sns/latest/dg'
const EVENTS = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference'

const attributes = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, nth) => [
      `a${nth}`,
      { DataType: 'String', StringValue: 'x' },
    ]),
  )

async function subscribed(
  desk: Desk,
  raw: boolean,
): Promise<{ readonly TopicArn: string; readonly queue: Queue }> {
  const [TopicArn, queue] = await Promise.all([desk.topic(), desk.queue()])
  await desk.subscribe(TopicArn, queue, raw)
  return { TopicArn, queue }
}

/** What a good event and this one get in one request. */
async function put(desk: Desk, bus: string, Detail: string): Promise<string> {
  const entry = { Source: 'lineclear.check', DetailType: 'Check' }
  const Entries = [
    { ...entry, EventBusName: 'default', Detail: '{}' },
    { ...entry, EventBusName: bus, Detail },
  ]
  const { Entries: answers = [] } = await desk.clients.eventBridge.send(
    new PutEventsCommand({ Entries }),
  )
  return answers.map(({ EventId, ErrorCode }) => (EventId ? 'put' : nameOf(ErrorCode))).join(', ')
}

export const SNS_CHECKS: readonly Check[] = [
  {
    name: 'attributes of a topic’s message, in its envelope',
    expected: '{"Type":"String","Value":"x"} in the body, none beside it',
    source: `${GUIDE}/sns-message-attributes.html`,
    reliesOn: 'src/library/protocol/record/envelope',
    run: async (desk) => {
      const { TopicArn, queue } = await subscribed(desk, false)
      const sent = { TopicArn, Message: 'x', MessageAttributes: attributes(1) }
      await desk.clients.sns.send(new PublishCommand(sent))
      const [message] = await desk.receive(queue)
      const { MessageAttributes } = JSON.parse(message?.Body ?? '{}') as {
        MessageAttributes?: { a0?: unknown }
      }
      const beside = message?.MessageAttributes === undefined ? 'none' : 'some'
      return `${JSON.stringify(MessageAttributes?.a0)} in the body, ${beside} beside it`
    },
  },
  {
    name: 'attributes of a topic’s message, delivered raw',
    expected: 'the body as it was, x beside it',
    source: `${GUIDE}/sns-large-payload-raw-message-delivery.html`,
    reliesOn: 'src/library/protocol/record/envelope',
    run: async (desk) => {
      const { TopicArn, queue } = await subscribed(desk, true)
      const sent = { TopicArn, Message: 'raw', MessageAttributes: attributes(1) }
      await desk.clients.sns.send(new PublishCommand(sent))
      const [message] = await desk.receive(queue)
      const body = message?.Body === 'raw' ? 'the body as it was' : 'another body'
      return `${body}, ${message?.MessageAttributes?.['a0']?.StringValue ?? 'none'} beside it`
    },
  },
  {
    name: 'eleven attributes, delivered raw',
    expected: 'accepted, and discarded',
    source: `${GUIDE}/sns-message-attributes.html`,
    reliesOn: 'src/library/base/limits',
    otherwise: {
      local: [
        'accepted, and delivered',
        'topics that a description names are refused them; this topic is made later',
      ],
      ministack: ['accepted, and delivered', LAXER],
    },
    run: async (desk) => {
      const { TopicArn, queue } = await subscribed(desk, true)
      const sent = { TopicArn, Message: 'x', MessageAttributes: attributes(11) }
      const published = await outcomeOf(desk.clients.sns.send(new PublishCommand(sent)))
      const [message] = await desk.receive(queue, 1, 5)
      return `${published}, and ${message === undefined ? 'discarded' : 'delivered'}`
    },
  },
  {
    name: 'the tenant of a topic’s message reaches a fair queue',
    expected: 'tenant',
    source: 'https://docs.aws.amazon.com/sns/latest/api/API_Publish.html',
    reliesOn: 'src/library/adapters/send',
    otherwise: { local: ['none', 'fauxqs 2.4.1 drops it; memoryCloud keeps it'] },
    run: async (desk) => {
      const { TopicArn, queue } = await subscribed(desk, true)
      const sent = { TopicArn, Message: 'x', MessageGroupId: 'tenant' }
      await desk.clients.sns.send(new PublishCommand(sent))
      const [message] = await desk.receive(queue)
      return message?.Attributes?.['MessageGroupId'] ?? 'none'
    },
  },
  {
    name: 'a PublishBatch of more than 256 KiB together',
    expected: 'BatchRequestTooLong',
    source: `${GUIDE}/sns-batch-api-actions.html`,
    reliesOn: 'src/library/adapters/send',
    otherwise: { ministack: ['accepted', LAXER] },
    run: async (desk) => {
      const Message = 'x'.repeat(131_073)
      const PublishBatchRequestEntries = ['0', '1'].map((Id) => ({ Id, Message }))
      const TopicArn = await desk.topic()
      const asked = { TopicArn, PublishBatchRequestEntries }
      const outcome = await outcomeOf(desk.clients.sns.send(new PublishBatchCommand(asked)))
      return outcome.replace(/Exception$/, '')
    },
  },
  {
    name: 'an event to a bus that does not exist',
    expected: 'put, ResourceNotFoundException',
    source: undefined,
    reliesOn: 'src/library/adapters/send',
    otherwise: { ministack: ['put, put', LAXER] },
    run: (desk) => put(desk, 'lineclear-no-such-bus', '{}'),
  },
  {
    name: 'an event whose detail is no JSON',
    expected: 'put, MalformedDetail',
    source: `${EVENTS}/API_PutEventsResultEntry.html`,
    reliesOn: 'src/library/adapters/send',
    otherwise: { ministack: ['put, put', LAXER] },
    run: (desk) => put(desk, 'default', 'no JSON'),
  },
]
