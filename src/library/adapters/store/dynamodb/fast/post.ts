import type * as http from 'node:http'
import * as https from 'node:https'
import type { Place } from './place.ts'

/** What DynamoDB has answered, read to its end. */
export interface Response {
  readonly status: number
  readonly text: string
}

/** Sends one request. @throws when there is no whole answer: it is then unknown whether a write was made */
export type Post = (
  place: Place,
  headers: Readonly<Record<string, string>>,
  body: string,
) => Promise<Response>

/** Keep-alive, as in the SDK's clients: the next call reuses the connection. */
const KEPT = { keepAlive: true, maxSockets: 50 }
interface Protocol {
  readonly request: (options: https.RequestOptions) => http.ClientRequest
  readonly agent: http.Agent
}

/** `request` is looked up at each call, because a tracer may replace it. */
const HTTPS: Protocol = { request: (given) => https.request(given), agent: new https.Agent(KEPT) }

let plain: Protocol | undefined
/** For engines on this machine. An import of `node:http` loads Node's `fetch`, ten milliseconds of each cold start. */
function plainHttp(): Protocol {
  if (plain === undefined) {
    const { request, Agent } = process.getBuiltinModule('node:http')
    plain = { request, agent: new Agent(KEPT) }
  }
  return plain
}

/** Time limits of the default client, milliseconds: until there is a connection, and from then on until there is the answer. */
const CONNECTION = 1_000
const ANSWER = 3_000

/**
 * Posts over Node's own HTTP. A kept connection may have been closed meanwhile, as after a thaw: then the request is sent again,
 * on a new one.
 */
export const post: Post = async (place, headers, body) => {
  const first = open(place, headers, body)
  return first.response.catch((error: unknown) => {
    // @protects a kept connection that was closed costs no call through the SDK
    // @without true
    if (!first.request.reusedSocket || !isReset(error)) throw error
    return open(place, headers, body).response
  })
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
}

function open(
  { protocol, hostname, port }: Place,
  headers: Readonly<Record<string, string>>,
  body: string,
): { readonly request: http.ClientRequest; readonly response: Promise<Response> } {
  const { request: make, agent } = protocol === 'http:' ? plainHttp() : HTTPS
  const request = make({ method: 'POST', hostname, port, path: '/', headers, agent })
  const response = new Promise<Response>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (message) => {
      textOf(message).then((text) => resolve({ status: message.statusCode ?? 0, text }), reject)
    })
  })
  limit(request)
  request.end(body)
  return { request, response }
}

function limit(request: http.ClientRequest): void {
  const giveUp = (): void => void request.destroy(new Error('late'))
  let timer = setTimeout(giveUp, CONNECTION)
  const connected = (): void => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, ANSWER)
  }
  request.on('socket', (socket) => {
    if (socket.connecting) socket.once('connect', connected)
    else connected()
  })
  request.on('close', () => clearTimeout(timer))
}

function textOf(message: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    // Also when the response is cut off: then `end` never fires.
    message.on('error', reject)
    message.on('end', () => resolve(Buffer.concat(chunks).toString()))
  })
}
