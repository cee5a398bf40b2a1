import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LocalEvent } from '../../testing/local/observe/event.ts'
import { type ApiOptions, type ApiRoute, routesOf } from './api.ts'
import { guard } from './guard.ts'
import { type Assets, loadAssets, sendAsset, sendError, sendReply } from './send.ts'
import { type EventFeed, type Hub, openHub, stream } from './stream.ts'
import { limitConnections, type Limits, LIMITS } from './limits.ts'
import { readBody } from './readBody.ts'
import { RequestError } from './reply.ts'
import { newSeenMap } from './seenMap.ts'

export interface ConsoleOptions extends ApiOptions {
  readonly port?: number | undefined
  /** Live events. Default: the route does not exist. */
  readonly events?: EventFeed | undefined
  readonly limits?: Partial<Limits> | undefined
}

export interface RunningConsole {
  /** With the token in its fragment, which browsers do not send. */
  readonly url: string
  /** Ends what it runs at its next safe point, and frees the port. */
  stop(): Promise<void>
}

interface Serving {
  readonly port: number
  readonly token: string
  readonly assets: Assets
  readonly routes: ReadonlyMap<string, ApiRoute>
  /** undefined: there are no live events. */
  readonly events: ((response: ServerResponse, after: number) => Promise<void>) | undefined
  readonly stopped: AbortSignal
}

/**
 * Serves the console on the loopback address of this machine, and nowhere else.
 * @throws the error of `listen` when the port is taken
 */
export async function serveConsole(options: ConsoleOptions): Promise<RunningConsole> {
  const { clock, events } = options
  const limits = { ...LIMITS, ...options.limits }
  const stop = new AbortController()
  const server = openServer(limits)
  const assets = await loadAssets()
  const port = await listen(server, options.port ?? 0)
  const hub = events && openHub(events, limits.events)
  const seen = newSeenMap()
  const stopSeen = events?.subscribe((event) => seen.observe(event as LocalEvent))
  const serving: Serving = {
    port,
    token: randomBytes(32).toString('base64url'),
    assets,
    routes: routesOf({ ...options, map: options.map ?? (events && seen.map) }, stop.signal),
    events: hub && readersOf(hub, limits),
    stopped: stop.signal,
  }
  const running = new Set<Promise<void>>()
  server.on('request', (request, response) => {
    const work = answer(request, response, serving)
      .catch((error: unknown) => sendError(response, error, clock))
      .finally(() => running.delete(work))
    running.add(work)
  })
  return {
    url: `http://127.0.0.1:${port}/#token=${serving.token}`,
    async stop() {
      stop.abort()
      hub?.stop()
      stopSeen?.()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, ...running])
    },
  }
}

function openServer(limits: Limits): Server {
  const server = createServer({
    requestTimeout: limits.requestTime,
    connectionsCheckingInterval: limits.lookEvery,
    maxHeaderSize: limits.headSize,
    keepAliveTimeout: 5_000,
  })
  limitConnections(server, limits.connections)
  // Node itself would leave it open, without an answer.
  server.on('upgrade', (_, socket) => socket.destroy())
  return server
}

async function listen(server: Server, port: number): Promise<number> {
  await once(server.listen({ host: '127.0.0.1', port }), 'listening')
  return (server.address() as AddressInfo).port
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  serving: Serving,
): Promise<void> {
  const target = guard(request, serving)
  if (!target.path.startsWith('/api/')) {
    expectMethod(request, ['GET', 'HEAD'])
    return sendAsset(response, target.path, serving.assets)
  }
  const name = target.path.slice('/api/'.length)
  if (name === 'events' && serving.events !== undefined) {
    expectMethod(request, ['GET'])
    return serving.events(response, Number(target.query.get('after') ?? 0))
  }
  const route = serving.routes.get(name)
  if (route === undefined) throw new RequestError(404, 'there is no such route')
  expectMethod(request, [route.method])
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const signal = AbortSignal.any([serving.stopped, gone.signal])
  const body = async (): ReturnType<typeof readBody> => readBody(request)
  sendReply(response, await route.answer({ query: target.query, body, signal }))
}

function readersOf(hub: Hub, limits: Limits): NonNullable<Serving['events']> {
  let readers = 0
  return async (response, after) => {
    if (readers >= limits.readers) throw new RequestError(503, 'too many readers of events')
    readers += 1
    try {
      await stream(hub, response, { after, every: limits.writeEvery })
    } finally {
      readers -= 1
    }
  }
}

function expectMethod({ method = '' }: IncomingMessage, allowed: readonly string[]): void {
  if (allowed.includes(method)) return
  const allow = allowed.join(', ')
  throw new RequestError(405, `expected ${allow}`, allow)
}
