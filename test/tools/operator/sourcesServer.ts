import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'

/**
 * SQS of the local cloud, and the one call that it lacks: ListDeadLetterSourceQueues.
 * @param sources URLs by the name of the dead-letter queue
 */
export async function serveSources(
  cloud: LocalCloud,
  sources: Readonly<Record<string, readonly string[]>>,
) {
  const upstream = cloud.endpoints.sqs ?? ''
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray())
    const target = String(request.headers['x-amz-target'])
    if (target === 'AmazonSQS.ListDeadLetterSourceQueues') {
      const { QueueUrl } = JSON.parse(body.toString()) as { QueueUrl: string }
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      return void response.end(
        JSON.stringify({ queueUrls: sources[QueueUrl.split('/').at(-1) ?? ''] ?? [] }),
      )
    }
    const headers = { 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.0' }
    const there = await fetch(upstream, { method: 'POST', headers, body })
    response.writeHead(there.status, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(await there.text())
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const sqs = new SQSClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    useQueueUrlAsEndpoint: false,
    region: cloud.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  return {
    sqs,
    [Symbol.asyncDispose]: async () => {
      sqs.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
