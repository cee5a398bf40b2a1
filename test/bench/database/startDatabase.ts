import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import { tableDefinition } from 'lineclear/dynamodb'
import { openOperations } from '../../../src/testing/local/engines/dynamodb/operations.ts'
import { answer, type Answer } from './answer.ts'
import type { Certificate } from './certificate.ts'
import { bytesOf, type Counts, countsOf, newTally } from './tally.ts'

/** The engine of the local cloud, empty but for the tables of the peers, behind a server that counts. */
export interface Database {
  readonly endpoint: string
  /** Over TLS: the file with the certificate that clients have to trust. */
  readonly trusted: string | undefined
  /** Carries out an operation without counting it. */
  operate(operation: string, request: object): object
  /** Every answer waits so long, milliseconds. */
  delay: number
  /** Forgets the items, and starts counting. */
  reset(): void
  startCounting(): void
  counts(): Counts
  stop(): Promise<void>
}

/** @param tls default: plain HTTP */
export async function startDatabase(tls?: {
  readonly certificate: Certificate
  readonly trusted: string
}): Promise<Database> {
  const certificate = tls?.certificate
  const sockets = new Set<Socket>()
  let operate = withTables()
  let tally = newTally({ up: 0, down: 0 })
  const waiting = { delay: 0 }
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
      const answered = answer(operation, Buffer.concat(chunks), operate, tally)
      if (waiting.delay === 0) send(response, answered)
      else setTimeout(send, waiting.delay, response, answered)
    })
  }
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  server.keepAliveTimeout = 600_000
  server.on(certificate ? 'secureConnection' : 'connection', (socket: Socket) => {
    tally.connections += 1
    sockets.add(socket.setNoDelay(true))
  })
  const { port } = await listen(server)
  const startCounting = (): void => {
    tally = newTally(bytesOf(sockets))
  }
  return Object.assign(waiting, {
    trusted: tls?.trusted,
    endpoint: `http${certificate ? 's' : ''}://127.0.0.1:${port}`,
    operate: (operation: string, request: object) => operate(operation, request),
    reset() {
      operate = withTables()
      startCounting()
    },
    startCounting,
    counts: () => countsOf(tally, sockets),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

function withTables(): ReturnType<typeof openOperations> {
  const operate = openOperations()
  operate('CreateTable', tableDefinition({ tableName: 'lineclear' }) as object)
  for (const [TableName, key] of Object.entries({ raw: 'pk', powertools: 'id', stock: 'id' })) {
    operate('CreateTable', {
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
    } as object)
  }
  return operate
}

/** The headers that DynamoDB sends: they are part of the bytes. */
function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    Server: 'Server',
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    'x-amzn-RequestId': REQUEST_ID,
    'x-amz-crc32': crc32(body),
  })
  response.end(body)
}

const REQUEST_ID = 'A'.repeat(52)

async function listen(server: Server): Promise<AddressInfo> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address
}
