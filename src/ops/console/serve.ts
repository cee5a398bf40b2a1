import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../clock.ts'
import { isoTime } from '../../isoTime.ts'
import type { Again, CommandAnswer } from './again.ts'
import { type Assets, loadAssets } from './assets.ts'
import { argumentsOf } from './form.ts'
import { guard, type Target } from './guard.ts'
import { HEADERS } from './headers.ts'
import { RequestError } from './requestError.ts'
import { ROUTES } from './routes.ts'
import type { Session } from './session.ts'

interface ConsoleOptions {
  readonly again: Again
  readonly session: () => Promise<Session>
  readonly clock: Clock
  /** Default: any free port. */
  readonly port?: number | undefined
  /** Only dead-letter queues whose names begin so are looked at by default. */
  readonly queues?: string | undefined
}

interface RunningConsole {
  /** With the token in its fragment. */
  readonly url: string
  /** Ends what it runs at its next safe point, and frees the port. */
  stop(): Promise<void>
}

/** Serves the console on the loopback address of this machine, and nowhere else. */
export async function serveConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const token = randomBytes(32).toString('base64url')
  const assets = await loadAssets()
  const stopped = new AbortController()
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy())
  })
  const port = await listen(server, options.port ?? 0)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const target = guard(request, { port, token })
      if (target.path.startsWith('/api/')) return await api(target, request, response)
      return sendAsset(target, assets, response)
    } catch (error) {
      sendError(error, options.clock, response)
    }
  }

  async function api(target: Target, request: IncomingMessage, response: ServerResponse) {
    if (request.method !== 'GET') throw new RequestError(405, 'expected GET')
    const name = target.path.slice('/api/'.length)
    if (name === 'session') {
      const session = await options.session()
      return sendJson(response, 200, { version: 1, at: isoTime(options.clock.now()), session })
    }
    const form = Object.hasOwn(ROUTES, name) ? ROUTES[name] : undefined
    if (form === undefined) throw new RequestError(404, 'there is no such route')
    const args = argumentsOf(form, fieldsOf(target.query))
    const answered = await options.again(args, stopped.signal)
    return sendJson(response, statusOf(answered), withFacts(answered))
  }

  return {
    url: `http://127.0.0.1:${port}/#token=${token}`,
    async stop() {
      stopped.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port }, resolve)
  })
  return (server.address() as AddressInfo).port
}

/** A parameter that comes more than once is a list. */
function fieldsOf(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const names = [...new Set(query.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )
}

function withFacts({ exit, line, cost, answer }: CommandAnswer): object {
  const { version, at, command, ...rest } = answer
  return { version, at, command, line, exit, cost, ...rest }
}

/** That something was found, or not found, is an answer. */
function statusOf({ exit }: CommandAnswer): number {
  return exit === 2 ? 400 : exit === 3 ? 502 : 200
}

function sendAsset({ path }: Target, assets: Assets, response: ServerResponse): void {
  const [type, body] =
    path === '/app.js'
      ? ['text/javascript', assets.script]
      : path === '/app.css'
        ? ['text/css', assets.style]
        : ['text/html', assets.html]
  response.writeHead(200, { ...HEADERS, 'content-type': `${type}; charset=utf-8` })
  response.end(body)
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

/** The words of other errors may have paths of this machine. */
function sendError(error: unknown, clock: Clock, response: ServerResponse): void {
  const known = error instanceof RequestError
  const message = known ? error.message : 'the server has failed'
  const kind = known ? 'refused' : 'failed'
  sendJson(response, known ? error.status : 500, {
    version: 1,
    at: isoTime(clock.now()),
    error: { kind, message, help: [] },
  })
}
