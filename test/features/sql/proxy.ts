import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Where a connection breaks: before the server gets the COMMIT, or after it has got it and before the client has the answer. */
export type Cut = 'before COMMIT' | 'after COMMIT'

export interface Proxy {
  readonly url: string
  /** How often a connection was cut. */
  readonly cuts: number
}

/**
 * Stands between a client and PostgreSQL.
 * @param cutNow asked at each COMMIT
 */
export async function proxyTo(url: string, cutNow: () => Cut | undefined): Promise<Proxy> {
  const target = new URL(url)
  const { port, hostname } = target
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let isCut = false
    const cut = (): void => {
      cuts += 1
      isCut = true
      client.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
    client.on('data', (data) => {
      const when = isCommit(data) ? cutNow() : undefined
      if (when === 'before COMMIT') {
        upstream.destroy()
        return cut()
      }
      upstream.write(data)
      if (when === 'after COMMIT') cut()
    })
    upstream.on('data', (data) => {
      if (!isCut) client.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    get cuts() {
      return cuts
    },
  }
}

/** A message of the simple or of the extended protocol. */
function isCommit(data: Buffer): boolean {
  return /commit\0/i.test(data.toString('latin1'))
}
