import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerTo, openOperations } from './dynamodb/operations.ts'
import { servePrograms } from './loopbackGuard.ts'

/** DynamoDB in this process, in memory. */
export async function startInProcess(): Promise<{
  readonly endpoint: string
  stop(): Promise<void>
}> {
  const operate = openOperations()
  return servePrograms((request, response) => {
    void answer(request, response, operate)
  })
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
