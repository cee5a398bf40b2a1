import { DescribeEventBusCommand, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { eventBridge, recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type CloudDescription, type LocalCloud, startLocalCloud } from 'lineclear/local'
import { busDelivery } from '../../record/events/busDelivery.ts'
import { quietLogger, quietMapping, send } from './helpers.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { parcels: {}, others: {}, subscribed: {} },
    tables: { lineclear: tableDefinition() },
    buses: {
      shop: {
        rules: [
          { queue: 'parcels', sources: ['my.parcels'] },
          { queue: 'others', detailTypes: [] },
        ],
      },
    },
  })
})
afterAll(() => cloud.stop())

const entry = (more: object = {}) => ({
  EventBusName: cloud.busArn('shop'),
  Source: 'my.parcels',
  DetailType: 'ParcelMoved',
  Detail: '{"n":1}',
  ...more,
})
const put = (...entries: readonly object[]) =>
  cloud.eventBridge.send(new PutEventsCommand({ Entries: [...entries] }))

it('puts what a rule chooses on its queue, whole, and nothing else', async () => {
  const { Entries = [] } = await put(entry({ Resources: ['a'] }), entry({ Source: 'my.others' }))
  const QueueUrl = cloud.queueUrl('parcels')
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
  )
  expect(Messages.map(({ Body = '' }) => JSON.parse(Body) as unknown)).toEqual([
    expect.objectContaining({
      version: '0',
      id: Entries[0]?.EventId,
      source: 'my.parcels',
      'detail-type': 'ParcelMoved',
      resources: ['a'],
      detail: { n: 1 },
    }),
  ])
  expect((await cloud.queueDepth('others')).ready).toBe(0)
})

it('refuses an entry as EventBridge does, and takes the others', async () => {
  const wrong = [
    entry({ Detail: '[1]' }),
    entry({ Source: 'aws.s3' }),
    entry({ DetailType: '' }),
    entry({ EventBusName: cloud.busArn('shop').replace('shop', 'other') }),
  ]
  const { FailedEntryCount, Entries = [] } = await put(...wrong, entry())
  expect(FailedEntryCount).toBe(4)
  expect(Entries.map(({ ErrorCode }) => ErrorCode)).toEqual([
    'MalformedDetail',
    'NotAuthorizedForSourceException',
    'InvalidArgument',
    'ResourceNotFoundException',
    undefined,
  ])
})

it('refuses what is too much for one call, and what it does not know', async () => {
  const eleven = Array.from({ length: 11 }, () => entry())
  const half = JSON.stringify({ text: 'x'.repeat(550_000) })
  await expect(put(...eleven)).rejects.toThrow('entries: 11')
  await expect(put(entry({ Detail: half }), entry({ Detail: half }))).rejects.toThrow(
    'over the limit',
  )
  const describe = cloud.eventBridge.send(new DescribeEventBusCommand({ Name: 'shop' }))
  await expect(describe).rejects.toThrow('only PutEvents is known here')
})

const wrong: readonly (readonly [CloudDescription['buses'], string])[] = [
  [{ shop: { rules: [{ queue: 'nowhere' }] } }, 'buses.shop.rules[0].queue'],
  [
    { shop: { rules: [{ queue: 'a', pattern: {} } as never] } },
    'buses.shop.rules[0]: "pattern" is not known here',
  ],
]
it.each(wrong)('a description %o is refused: %s', async (buses, option) => {
  await expect(startLocalCloud({ queues: { a: {} }, buses: buses ?? {} })).rejects.toThrow(option)
})

it('an event of a Custom Event Bus that a subscriber delivers twice runs once, beside a payload with a field Data', async () => {
  const ran: unknown[] = []
  const mapping = quietMapping({
    cloud,
    queue: 'subscribed',
    handler: recordHandler(
      {
        name: 'subscribed',
        store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
        clients: { sqs: cloud.sqs },
        envelopes: [eventBridge()],
        logger: quietLogger(),
      },
      (payload) => void ran.push(payload),
    ),
  })
  const event = busDelivery({ orderId: 'o-1' }, { 'aws:IngestionTime': new Date().toJSON() })
  for (const body of [event, event, { Data: 'of a user' }]) {
    await send(cloud, 'subscribed', { MessageBody: JSON.stringify(body) })
  }
  await mapping.drained({ timeout: '10m' })
  await mapping.stop()
  expect(ran).toHaveLength(2)
  expect(ran).toEqual(expect.arrayContaining([{ orderId: 'o-1' }, { Data: 'of a user' }]))
})
