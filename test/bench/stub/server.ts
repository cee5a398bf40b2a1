import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import type { Certificate } from './certificate.ts'
import { answer, type Answer } from './answer.ts'
import { makeTable, type Tables } from './table.ts'
import { bytesOf, type Counts, countsOf, newTally } from './tally.ts'

/** Speaks as much of DynamoDB's protocol as the peers use, keeps what they write, and counts. */
export interface Stub {
  readonly endpoint: string
  /** Over TLS: the file with the certificate that clients have to trust. */
  readonly trusted: string | undefined
  readonly tables: Tables
  /** Every answer waits so long, milliseconds. */
  delay: number
  /** Forgets the items, and starts counting. */
  reset(): void
  startCounting(): void
  counts(): Counts
  stop(): Promise<void>
}

/** Entry of the framework's index: `tableDefinition()`. */
const BY_STATUS = {
  key: ['statusShard', 'dueAt', 'pk', 'sk'],
  holds: ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt'],
}

/** @param tls default: plain HTTP */
export async function startStub(tls?: {
  readonly certificate: Certificate
  readonly trusted: string
}): Promise<Stub> {
  const certificate = tls?.certificate
  const tables = new Map([
    ['raw', makeTable(['pk'])],
    ['powertools', makeTable(['id'])],
    ['lineclear', makeTable(['pk', 'sk'], BY_STATUS)],
    ['stock', makeTable(['id'])],
  ])
  const sockets = new Set<Socket>()
  let tally = newTally({ up: 0, down: 0 })
  const stub = { delay: 0 }
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
      const bytes = Buffer.concat(chunks)
      const body = bytes.toString()
      tally.requests += 1
      tally.bodies += bytes.byteLength
      tally.byOperation[operation] = (tally.byOperation[operation] ?? 0) + 1
      const answered = answer(operation, body, tables, tally)
      if (stub.delay === 0) send(response, answered)
      else setTimeout(send, stub.delay, response, answered)
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
  return Object.assign(stub, {
    trusted: tls?.trusted,
    endpoint: `http${certificate ? 's' : ''}://127.0.0.1:${port}`,
    tables,
    reset() {
      for (const { items } of tables.values()) items.clear()
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
