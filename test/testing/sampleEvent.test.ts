import type { Context, SQSEvent } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'

/** As the Lambda console has it under "SQS", and the documentation under "Example SQS event". */
function sample(SentTimestamp: string): SQSEvent {
  return {
    Records: [
      {
        messageId: '059f36b4-87a3-44ab-83d2-661975830a7d',
        receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
        body: 'Test message.',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp,
          SenderId: 'AIDAIENQZJOLO23YVJ4VO',
          ApproximateFirstReceiveTimestamp: '1545082649185',
        },
        messageAttributes: {},
        md5OfBody: 'e4e68fb7bd0e697a0ae8f1bb342846b3',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-2:123456789012:my-queue',
        awsRegion: 'us-east-2',
      },
    ],
  }
}

it.each(['1545082649183', '1523232000000'])(
  "the console's sample event, sent at %s, is refused in words that say what to do",
  async (sentTimestamp) => {
    const cloud = memoryCloud({
      queues: { 'my-queue': { deadLetter: { queue: 'dead', maxReceiveCount: 5 } }, dead: {} },
    })
    const { store, clients, logger } = cloud
    const options = { name: 'orders', store, clients, logger, parse: 'text' } as const
    const handler = recordHandler(options, () => {
      throw new Error('it must not run')
    })
    await handler(sample(sentTimestamp), {} as Context)
    const said = /first sent \d{4} days ago \(2018-.*SentTimestamp: now.*sqsEvent\(\)/
    expect(cloud.messages('dead')[0]?.carried).toMatchObject({ reason: 'too old' })
    expect(cloud.lines.map(({ fields }) => fields['error'])).toContainEqual(
      expect.stringMatching(said),
    )
  },
)

it('why it was not run is said too where it cannot be dead-lettered, as in the console', async () => {
  const { store, clients, logger, lines } = memoryCloud({ queues: { other: {} } })
  const handler = recordHandler({ name: 'orders', store, clients, logger, parse: 'text' }, () => {})
  await handler(sample('1545082649183'), {} as Context)
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'error',
      message: 'cannot be dead-lettered: the record stays on its queue and is not run',
      fields: expect.objectContaining({
        reason: 'too old',
        why: expect.stringContaining('SentTimestamp') as string,
      }) as object,
    }),
  )
})

it('sent now, it runs', async () => {
  const { store, clients, clock } = memoryCloud({ queues: { 'my-queue': {} } })
  let ran: unknown
  const handler = recordHandler(
    { name: 'orders', store, clients, clock, parse: 'text' },
    (body) => {
      ran = body
    },
  )
  await handler(sample(String(clock.now())), {} as Context)
  expect(ran).toBe('Test message.')
})
