import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerTo, openOperations } from './dynamodb/operations.ts'
import { guardRequests } from './loopbackGuard.ts'

/** DynamoDB in this process, in memory. */
export async function startInProcess(): Promise<{
  readonly endpoint: string
  stop(): Promise<void>
}> {
  const operate = openOperations()
  const server = createServer((request, response) => {
    void answer(request, response, operate)
  })
  guardRequests(server)
  // Longer than clients keep a connection: one that is closed as they use it fails a call.
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  operate: ReturnType<typeof openOperations>,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(200, { connection: 'close' }).end('healthy: dynamodb')
    return
  }
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return
  }
  const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
  const { status, body } = answerTo(operation, Buffer.concat(chunks).toString(), operate)
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
  })
  response.end(body)
}
