import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemClock } from '../../../library/base/clock.ts'

/** As Node's `headersDistinct`: names in lower case. */
type Headers = Readonly<Record<string, readonly string[] | undefined>>

/** @returns the one Host of a request, if it names this machine. Another name may have been rebound to it by a web page. */
export function loopbackHost({ host = [] }: Headers, port: number): string | undefined {
  const [only = '', ...others] = host
  const names = /^(?:127\.0\.0\.1|localhost|\[::1\])$/
  const isOurs = only.endsWith(`:${port}`) && names.test(only.slice(0, -`:${port}`.length))
  return isOurs && others.length === 0 ? only : undefined
}

/**
 * Whether a program of this machine has sent a request, and no web page: an engine has no pages, and browsers say who has sent
 * what a page can send without asking.
 */
function isFromProgram(headers: Headers, port: number): boolean {
  const isFromBrowser = headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined
  return !isFromBrowser && loopbackHost(headers, port) !== undefined
}

const REFUSED = 'this server answers programs on this machine, and no web pages'

/** Puts the guard before what a server answers by now. Call it once. */
export function guardRequests(server: Server): void {
  const answers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isFromProgram(request.headersDistinct, request.socket.localPort ?? 0)) {
      dateNow(response)
      for (const answer of answers) Reflect.apply(answer, server, [request, response])
    } else {
      response.writeHead(403, { connection: 'close', 'content-type': 'text/plain' }).end(REFUSED)
    }
  })
}

/**
 * Commands take the time from the answers of AWS. Node keeps the text of its own header for a second, and on a busy machine for longer:
 * what has just been sent would be of the future.
 */
function dateNow(response: ServerResponse): void {
  const { writeHead } = response
  response.writeHead = (...head: unknown[]): ServerResponse => {
    response.setHeader('date', new Date(systemClock.now()).toUTCString())
    return Reflect.apply(writeHead, response, head) as ServerResponse
  }
}

interface LocalServer {
  readonly server: Server
  readonly endpoint: string
  stop(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: string
  /** Default JSON. */
  readonly type?: string
  readonly error?: string
  readonly connection?: 'close'
}

/**
 * A server on a free port of 127.0.0.1, behind the guard.
 * @param answer undefined: the connection is broken instead
 */
export async function servePrograms(
  answer: (request: IncomingMessage, body: string) => Promise<Answer | undefined>,
): Promise<LocalServer> {
  const server = createServer((request, response) => {
    text(request)
      .then((body) => answer(request, body))
      .then(
        (given) => end(response, given),
        () => response.destroy(),
      )
  })
  guardRequests(server)
  // Longer than clients keep a connection: one that is closed as they use it fails a call.
  server.keepAliveTimeout = 3_600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server,
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function end(response: ServerResponse, answer: Answer | undefined): void {
  if (answer === undefined) return void response.destroy()
  const { status, body, type = 'application/json', error, connection } = answer
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-amzn-requestid': randomUUID(),
    ...(error && { 'x-amzn-errortype': error }),
    ...(connection && { connection }),
  })
  response.end(body)
}
