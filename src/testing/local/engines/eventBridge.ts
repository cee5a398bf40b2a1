import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { PutEventsCommandInput } from '@aws-sdk/client-eventbridge'
import { type BusDescription, putEvents } from '../../queues/eventBus.ts'
import { LOCAL_ACCOUNT, queueUrlAt, LOCAL_REGION } from '../description/description.ts'
import { servePrograms } from './loopbackGuard.ts'

/** PutEvents in this process: events go to the queues of their rules. No other action of EventBridge exists. */
export async function startEventBridge(
  buses: Readonly<Record<string, BusDescription>>,
  sqs: () => { readonly client: SQSClient | undefined; readonly endpoint: string },
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  return servePrograms(async ({ headers }, body) => {
    if (headers['x-amz-target'] !== 'AWSEvents.PutEvents') {
      return refusal('UnknownOperationException', 'only PutEvents is known here')
    }
    const input = JSON.parse(body) as PutEventsCommandInput
    const done = putEvents(input, {
      buses,
      account: LOCAL_ACCOUNT,
      region: LOCAL_REGION,
      now: Date.now(),
    })
    if ('code' in done) return refusal(done.code, done.message)
    const { client, endpoint } = sqs()
    for (const { queue, body: MessageBody } of done.deliveries) {
      const QueueUrl = queueUrlAt(endpoint, queue)
      await client?.send(new SendMessageCommand({ QueueUrl, MessageBody }))
    }
    return { status: 200, body: JSON.stringify(done.answer) }
  })
}

function refusal(code: string, message: string): { status: number; body: string } {
  return { status: 400, body: JSON.stringify({ __type: code, message }) }
}
