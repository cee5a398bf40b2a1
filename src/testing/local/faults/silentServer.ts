import { createServer, type Server, type Socket } from 'node:net'

/** Accepts connections and requests and never answers, like the far end of a half-open connection. */
interface SilentServer {
  /** The port on 127.0.0.1. Opens at the first call. */
  port(): Promise<number>
  stop(): Promise<void>
}

export function silentServer(): SilentServer {
  const sockets = new Set<Socket>()
  let opening: Promise<number> | undefined
  let server: Server | undefined

  function open(): Promise<number> {
    return new Promise((resolve, reject) => {
      server = createServer((socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
        socket.on('error', () => {})
        socket.resume()
      })
      server.once('error', reject)
      server.listen(0, '127.0.0.1', () => {
        const address = server?.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
      server.unref()
    })
  }

  return {
    port: () => (opening ??= open()),
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => {
        if (server === undefined) resolve()
        else server.close(() => resolve())
      })
    },
  }
}
