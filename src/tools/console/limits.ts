import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestError } from './reply.ts'

/** What one client can take from the server. Times are milliseconds. */
export interface Limits {
  /** Open connections. With one more, the one that has waited longest for a request is closed. A browser has six. */
  readonly connections: number
  /** Until a request is there as a whole, from its first byte or from the connection on. */
  readonly requestTime: number
  /** Bytes of a request's head. */
  readonly headSize: number
  /** Between two looks for what is too late. */
  readonly lookEvery: number
  readonly readers: number
  /** Between two writes of live events. */
  readonly writeEvery: number
  readonly events: number
}

export const LIMITS: Limits = {
  connections: 64,
  requestTime: 20_000,
  headSize: 16_384,
  lookEvery: 1_000,
  readers: 16,
  writeEvery: 50,
  events: 10_000,
}

/**
 * Keeps a server open to those who ask: with one connection too many, the one that has waited longest without a request is closed.
 * If further ones were refused instead, as by `maxConnections`, silent ones would lock everyone out.
 */
export function limitConnections(server: Server, most: number): void {
  const open = new Set<Socket>()
  /** Those without a request, the longest wait first. */
  const waiting = new Set<Socket>()
  const forget = (socket: Socket): void => {
    open.delete(socket)
    waiting.delete(socket)
  }
  server.on('connection', (socket) => {
    open.add(socket)
    waiting.add(socket)
    socket.once('close', () => forget(socket))
    const [longest] = waiting
    if (open.size <= most || longest === undefined) return
    forget(longest)
    longest.destroy()
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket)
    response.once('close', () => {
      if (open.has(socket)) waiting.add(socket)
    })
  })
}

/** Lets some of what comes run, and the rest wait for its turn. */
interface Turns {
  /**
   * @param signal while it waits: gives its place up
   * @throws RequestError 503 when too many wait
   */
  take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

/**
 * @param most that run at once
 * @param waiting that may wait
 */
export function turns(most: number, waiting: number): Turns {
  let running = 0
  const queue = new Set<() => void>()
  return {
    async take(work, signal) {
      if (running >= most) await turn(queue, waiting, signal)
      else running += 1
      try {
        return await work()
      } finally {
        const [next] = queue
        if (next === undefined) running -= 1
        else {
          // Its place is handed on, so a later caller cannot take it.
          queue.delete(next)
          next()
        }
      }
    },
  }
}

async function turn(queue: Set<() => void>, waiting: number, signal: AbortSignal): Promise<void> {
  if (queue.size >= waiting) {
    throw new RequestError(503, 'too many requests wait for their turn: try again')
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const leave = (): void => {
    queue.delete(resolve)
    reject(new RequestError(503, 'the page has gone away'))
  }
  queue.add(resolve)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    await promise
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
