import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Takes every message that is sent to it, as SQS does, and counts. It knows no queues, delivers nothing, and says yes to other calls. */
export interface SqsServer extends AsyncDisposable {
  /** For the SDK's clients. */
  readonly environment: Readonly<Record<string, string>>
  readonly messages: number
  /** Connections that were opened, and how many are open now. */
  readonly connections: number
  readonly open: number
}

interface Entry {
  readonly Id: string
  /** Not in changes of a visibility timeout. */
  readonly MessageBody?: string
}

export async function sqsServer(): Promise<SqsServer> {
  let [messages, connections, open] = [0, 0, 0]
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const { Entries = [] } = JSON.parse(Buffer.concat(parts).toString()) as { Entries?: Entry[] }
      messages += Entries.filter(({ MessageBody }) => MessageBody !== undefined).length
      const Successful = Entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: `message ${Id}`,
        MD5OfMessageBody: hash('md5', MessageBody ?? ''),
      }))
      response.setHeader('content-type', 'application/x-amz-json-1.0')
      response.end(JSON.stringify({ Successful, Failed: [] }))
    })
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    connections += 1
    open += 1
    socket.on('close', () => (open -= 1))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    environment: {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
    get messages() {
      return messages
    },
    get connections() {
      return connections
    },
    get open() {
      return open
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
