import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { crc32 } from 'node:zlib'
import { OPERATIONS, Refused } from './operations.ts'
import { makeTable, type Table } from './table.ts'

/** Counted since the last reset. `up` and `down` are bytes of HTTP, headers included. */
export interface Counts {
  readonly requests: number
  readonly byOperation: Readonly<Record<string, number>>
  readonly writeUnits: number
  readonly readUnits: number
  readonly up: number
  readonly down: number
  readonly connections: number
}

/** Speaks as much of DynamoDB's protocol as the peers use, keeps what they write, and counts. */
export interface Stub {
  readonly endpoint: string
  readonly tables: ReadonlyMap<string, Table>
  /** Every answer waits so long, milliseconds. */
  delay: number
  /** Forgets the items, and starts counting. */
  reset(): void
  startCounting(): void
  counts(): Counts
  stop(): Promise<void>
}

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** Entry of the framework's index: `tableDefinition()`. */
const BY_STATUS = {
  key: ['statusShard', 'dueAt', 'pk', 'sk'],
  holds: ['status', 'lockedBy', 'created', 'expectedCompletion', 'attempt'],
}

export async function startStub(certificate?: Certificate): Promise<Stub> {
  const tables = new Map<string, Table>([
    ['raw', makeTable(['pk'])],
    ['powertools', makeTable(['id'])],
    ['lineclear', makeTable(['pk', 'sk'], BY_STATUS)],
  ])
  const sockets = new Set<Socket>()
  let tally = newTally({ up: 0, down: 0 })
  const stub = { delay: 0 }
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
      const body = Buffer.concat(chunks).toString()
      tally.requests += 1
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
    endpoint: `http${certificate ? 's' : ''}://127.0.0.1:${port}`,
    tables,
    reset() {
      for (const { items } of tables.values()) items.clear()
      startCounting()
    },
    startCounting,
    counts(): Counts {
      const { units, before, requests, byOperation, connections, unanswered } = tally
      if (unanswered !== undefined)
        throw new Error('a count of failed calls says nothing', { cause: unanswered })
      const now = bytesOf(sockets)
      return {
        requests,
        byOperation,
        connections,
        writeUnits: units.write,
        readUnits: units.read,
        up: now.up - before.up,
        down: now.down - before.down,
      }
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

interface Tally {
  requests: number
  connections: number
  readonly byOperation: Record<string, number>
  readonly units: { write: number; read: number }
  readonly before: { readonly up: number; readonly down: number }
  /** What the stub could not read: a peer that falls back on something else would be counted wrongly. */
  unanswered?: unknown
}

function newTally(before: Tally['before']): Tally {
  const units = { write: 0, read: 0 }
  return { requests: 0, connections: 0, byOperation: {}, units, before }
}

function bytesOf(sockets: ReadonlySet<Socket>): { up: number; down: number } {
  const total = { up: 0, down: 0 }
  for (const { bytesRead, bytesWritten } of sockets) {
    total.up += bytesRead
    total.down += bytesWritten
  }
  return total
}

interface Answer {
  readonly status: number
  readonly body: string
}

function answer(
  operation: string,
  body: string,
  tables: ReadonlyMap<string, Table>,
  tally: Tally,
): Answer {
  try {
    const carryOut = OPERATIONS[operation]
    if (carryOut === undefined) throw new Error(`the stub does not know ${operation}`)
    return { status: 200, body: JSON.stringify(carryOut(JSON.parse(body), tables, tally.units)) }
  } catch (error) {
    if (!(error instanceof Refused)) tally.unanswered ??= error
    return { status: 400, body: JSON.stringify(failureOf(error)) }
  }
}

function failureOf(error: unknown): object {
  if (error instanceof Refused) {
    return {
      __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
      message: error.message,
      ...(error.item && { Item: error.item }),
    }
  }
  const message = error instanceof Error ? error.message : String(error)
  return { __type: 'com.amazon.coral.validate#ValidationException', message }
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
