import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What one client can take from the server. Times are milliseconds. */
export const LIMITS = {
  /** Open connections. With one more, the one that has waited longest for a request is closed. A browser has six. */
  connections: 64,
  /** Until a request is there as a whole, from its first byte or from the connection on. */
  requestTime: 20_000,
  /** Bytes of a request's head. */
  headSize: 16_384,
  /** Between two looks for what is too late. */
  lookEvery: 1_000,
  readers: 16,
  /** Between two writes of live events. */
  writeEvery: 50,
  events: 10_000,
}

export type Limits = Readonly<typeof LIMITS>

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

/** Runs some of what comes at once, and the rest in its turn. What its caller has given up is not begun. */
type Turns = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>

export function turns(most: number): Turns {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work, signal) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      // Its place is handed on, so a later caller cannot take it.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
