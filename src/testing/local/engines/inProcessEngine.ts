import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '../../../base/errors.ts'
import { guardRequests } from './loopbackGuard.ts'
import { openOperations } from './dynamodb/operations.ts'
import { readRequest } from './dynamodb/readRequest.ts'
import { Refusal } from './dynamodb/values/refusal.ts'

/** DynamoDB in this process, in memory: for machines on which the native engine does not run. */
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

/** The answer to a request, as the protocol has it. */
export function answerTo(
  operation: string,
  text: string,
  operate: ReturnType<typeof openOperations>,
): { readonly status: number; readonly body: string } {
  try {
    return { status: 200, body: JSON.stringify(operate(operation, readRequest(operation, text))) }
  } catch (error) {
    if (error instanceof Refusal) return { status: 400, body: JSON.stringify(refused(error)) }
    const failed = new Refusal('InternalServerError', messageOf(error))
    return { status: 500, body: JSON.stringify(refused(failed)) }
  }
}

function refused({ code, message, fields }: Refusal): object {
  const member = code === 'TransactionCanceledException' ? 'Message' : 'message'
  return {
    __type: `${NAMESPACES[code] ?? 'com.amazonaws.dynamodb.v20120810'}#${code}`,
    [member]: message,
    ...fields,
  }
}

const NAMESPACES: Readonly<Record<string, string>> = {
  ValidationException: 'com.amazon.coral.validate',
  SerializationException: 'com.amazon.coral.service',
  UnknownOperationException: 'com.amazon.coral.service',
}
