import { recordHandler, type Envelope, snsTopic } from 'lineclear'
import { mapQueue, startLocalCloud, type LocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../../testing/local/helpers.ts'
import { allWebhooks } from './payloads.ts'
import { sendBatches, type Target } from './sendBatches.ts'

const webhooks = allWebhooks()

interface Case {
  readonly envelope: string
  readonly target: Target
  readonly source: Envelope['source']
  /** The first attempt fails, and the message is resent; with nine attributes it is kept, and SQS delivers it again. */
  readonly resent?: 'transparent' | 'kept'
}

const CASES: readonly Case[] = [
  { envelope: 'sent directly', target: { queue: 'webhooks' }, source: 'sqs' },
  { envelope: 'in the notification of a topic', target: { topic: 'closed' }, source: 'sns' },
  { envelope: 'delivered raw by a topic', target: { topic: 'raw' }, source: 'sqs' },
  {
    envelope: 'in a notification that was re-sent as it was',
    target: { topic: 'closed' },
    source: 'sns',
    resent: 'transparent',
  },
  {
    envelope: 'delivered again, where a copy has no room for its stamp',
    target: { queue: 'webhooks' },
    source: 'sqs',
    resent: 'kept',
  },
]

interface Received {
  readonly text: string
  readonly envelope: Envelope
}

describe('the webhooks of GitHub come to the handler byte for byte', () => {
  let cloud: LocalCloud
  beforeAll(async () => {
    cloud = await startLocalCloud({
      queues: { webhooks: {} },
      topics: {
        closed: { subscriptions: [{ queue: 'webhooks' }] },
        raw: { subscriptions: [{ queue: 'webhooks', raw: true }] },
      },
    })
  })
  afterAll(() => cloud.stop())

  it('and there are hundreds of them', () => {
    expect(webhooks.length).toBeGreaterThan(400)
  })

  it.each(CASES)('$envelope', async ({ target, source, resent }) => {
    const received: Received[] = []
    const handler = recordHandler(
      {
        name: 'webhooks',
        store: memoryStore(),
        parse: 'text',
        envelopes: [snsTopic(cloud.topicArn('closed'))],
        retry: { delay: () => 0 },
        clients: { sqs: cloud.sqs },
        logger: quietLogger(),
      },
      (text, { attempt, envelope }) => {
        if (resent !== undefined && attempt === 1) throw new Error('again, please')
        received.push({ text: String(text), envelope })
      },
    )
    await using mapping = mapQueue({ cloud, queue: 'webhooks', handler, logger: quietLogger() })
    await sendBatches(cloud, target, webhooks, resent === 'kept' ? 9 : 2)
    await mapping.drained({ timeout: 120_000 })

    const inOrder = received.toSorted((one, other) => placeOf(one) - placeOf(other))
    expect(inOrder.map(placeOf)).toEqual(webhooks.map((_, index) => index))
    for (const [index, { text, envelope }] of inOrder.entries()) {
      expect(text).toBe(webhooks[index]?.body)
      expect(envelope.attributes['event']?.value).toBe(webhooks[index]?.event)
      expect(envelope.source).toBe(source)
      expect(envelope.carried.resendNumber).toBe(resent === 'transparent' ? 1 : 0)
      expect(envelope.carried.wrapped).toBeUndefined()
    }
  })
})

function placeOf({ envelope }: Received): number {
  return Number(envelope.attributes['place']?.value)
}
