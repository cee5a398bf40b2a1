import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

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
