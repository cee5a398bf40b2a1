import type { SQSRecord } from 'aws-lambda'
import fc from 'fast-check'
import {
  type Message as SqsMessage,
  DeleteMessageCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs'
import { recordHandler, snsTopic } from 'lineclear'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isSendable } from '../../../src/library/protocol/record/envelope/buildMessage.ts'
import { toRecord } from '../../../src/testing/queues/receivedRecord.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { withoutSdk } from '../../testing/withoutSdk.ts'
import { PATIENCE, settings } from './settings.ts'
import { hostileRecord, TOPIC } from './values.ts'

let cloud: LocalCloud
beforeAll(async () => {
  const queues = { work: {}, dead: {} }
  cloud = withoutSdk(await startLocalCloud({ queues }, { logger: quietLogger() }))
})
afterAll(() => cloud.stop())

async function take(queue: string): Promise<readonly SqsMessage[]> {
  const QueueUrl = cloud.queueUrl(queue)
  const { Messages = [] } = await cloud.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  )
  for (const { ReceiptHandle } of Messages) {
    await cloud.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  }
  return Messages
}

/** A copy with nine attributes of the user has no room for a stamp, so the message itself waits on its queue. */
const NINE = Object.fromEntries(
  Array.from({ length: 9 }, (_, nth) => [`more-${nth}`, { dataType: 'String', stringValue: 'x' }]),
)

it(
  'a payload keeps its bytes and its id through a copy, another, and its dead letter',
  async () => {
    let died = 0
    await fc.assert(
      fc.asyncProperty(hostileRecord, fc.nat(5), async (received, draw) => {
        const { messageAttributes } = received
        const record = {
          ...received,
          eventSourceARN: cloud.queueArn('work'),
          messageAttributes: { ...messageAttributes, ...(draw === 0 && NINE) },
        }
        fc.pre(isSendable(record.body) && record.body !== '')
        await take('dead')
        await take('work')
        const bodies: string[] = []
        const ids: string[] = []
        const store = memoryStore()
        const handler = recordHandler(
          {
            name: 'orders',
            store,
            logger: quietLogger(),
            envelopes: [snsTopic(TOPIC)],
            parse: 'text',
            clients: { sqs: cloud.sqs },
            queueUrl: cloud.queueUrl('work'),
            deadLetterQueueUrl: cloud.queueUrl('dead'),
            retry: { maxAttempts: 3, delay: () => 0 },
          },
          (body, ctx) => {
            bodies.push(String(body))
            ids.push(ctx.uniqueRequestId)
            throw new Error('again')
          },
        )
        let next: SQSRecord = record
        for (let round = 0; round < 3; round++) {
          await handler({ Records: [next] }, lambdaContext())
          const [copy] = await take(round < 2 ? 'work' : 'dead')
          // What cannot be sent waits on its queue, and what is too old or may not begin yet is not run.
          if (copy === undefined) return
          next = toRecord(copy, cloud.queueArn('work'))
        }
        died += 1
        expect(new Set(bodies).size).toBe(1)
        expect(new Set(ids).size).toBe(1)
        const seen: unknown[] = []
        const reader = recordHandler(
          {
            name: 'orders',
            store,
            logger: quietLogger(),
            envelopes: [snsTopic(TOPIC)],
            parse: 'text',
          },
          (body, { uniqueRequestId }) => seen.push(body, uniqueRequestId),
        )
        await reader({ Records: [next] }, lambdaContext())
        expect(seen).toEqual([bodies[0], ids[0]])
      }),
      settings(60),
    )
    expect(died).toBeGreaterThan(10)
  },
  PATIENCE,
)
