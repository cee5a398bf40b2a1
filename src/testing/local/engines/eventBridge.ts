import type { IncomingMessage } from 'node:http'
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { PutEventsCommandInput } from '@aws-sdk/client-eventbridge'
import { type BusDescription, putEvents } from '../../queues/eventBus.ts'
import { ACCOUNT, queueUrlAt, REGION } from '../description/description.ts'
import { servePrograms } from './loopbackGuard.ts'

/** PutEvents in this process: events go to the queues of their rules. No other action of EventBridge exists. */
export async function startEventBridge(
  buses: Readonly<Record<string, BusDescription>>,
  sqs: () => { readonly client: SQSClient | undefined; readonly endpoint: string },
): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  return servePrograms((request, response) => {
    void answer(request, buses, sqs).then(({ status, body }) =>
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(body),
    )
  })
}

async function answer(
  request: IncomingMessage,
  buses: Readonly<Record<string, BusDescription>>,
  sqs: () => { readonly client: SQSClient | undefined; readonly endpoint: string },
): Promise<{ readonly status: number; readonly body: string }> {
  if (request.headers['x-amz-target'] !== 'AWSEvents.PutEvents') {
    return refusal('UnknownOperationException', 'only PutEvents is known here')
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const input = JSON.parse(Buffer.concat(chunks).toString()) as PutEventsCommandInput
  const done = putEvents(input, { buses, account: ACCOUNT, region: REGION, now: Date.now() })
  if ('code' in done) return refusal(done.code, done.message)
  const { client, endpoint } = sqs()
  for (const { queue, body } of done.deliveries) {
    const QueueUrl = queueUrlAt(endpoint, queue)
    await client?.send(new SendMessageCommand({ QueueUrl, MessageBody: body }))
  }
  return { status: 200, body: JSON.stringify(done.answer) }
}

function refusal(code: string, message: string): { status: number; body: string } {
  return { status: 400, body: JSON.stringify({ __type: code, message }) }
}
