import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { post } from '../../../src/library/adapters/store/dynamodb/fast/post.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server on this machine, and what sends to it. */
async function serve(listener: RequestListener) {
  const sockets: Socket[] = []
  server = createServer(listener).on('connection', (socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const place = { protocol: 'http:', hostname: '127.0.0.1', port, host: 'x', region: 'r' } as const
  return {
    sockets,
    send: (body: string) => post(place, { 'content-length': String(body.length) }, body),
  }
}

describe('over HTTP', () => {
  it('a request is sent as it is, and its answer read to its end', async () => {
    // Larger than a chunk, so that letters are cut in two.
    const text = 'ä'.repeat(200_001)
    const seen: unknown[] = []
    const { send } = await serve((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        seen.push([request.method, request.url, body])
        response.writeHead(400).end(text)
      })
    })
    expect(await send('{}')).toEqual({ status: 400, text })
    expect(seen).toEqual([['POST', '/', '{}']])
  })

  it('one connection is used again and again', async () => {
    const { send, sockets } = await serve((request, response) =>
      request.on('end', () => response.end('{}')).resume(),
    )
    for (let nth = 0; nth < 10; nth++) await send('{}')
    expect(sockets).toHaveLength(1)
  })

  it('a kept connection that was closed meanwhile is replaced by a new one', async () => {
    let requests = 0
    const { send, sockets } = await serve((request, response) => {
      requests += 1
      if (requests === 2) request.socket.resetAndDestroy()
      else request.on('end', () => response.end('{}')).resume()
    })
    await send('{}')
    expect(await send('{}')).toEqual({ status: 200, text: '{}' })
    expect([requests, sockets.length]).toEqual([3, 2])
  })

  it('a new connection that breaks is no answer', async () => {
    let requests = 0
    const { send } = await serve((request) => {
      requests += 1
      request.socket.resetAndDestroy()
    })
    await expect(send('{}')).rejects.toThrow(/ECONNRESET|hang up/)
    expect(requests).toBe(1)
  })

  it('half an answer is none', async () => {
    const { send } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"Responses":[')
      setTimeout(() => response.socket?.destroy(), 20)
    })
    await expect(send('{}')).rejects.toThrow('aborted')
  })

  it('an answer that does not come within three seconds is none', async () => {
    const { send } = await serve(() => {})
    const begun = performance.now()
    await expect(send('{}')).rejects.toThrow('late')
    expect(performance.now() - begun).toBeGreaterThan(2_900)
  })

  it('nothing that listens is no answer', async () => {
    const { send } = await serve(() => {})
    server?.close()
    await expect(send('{}')).rejects.toThrow('ECONNREFUSED')
  })
})
