import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A model of a bucket in S3, or of any store behind HTTP that compares `If-Match` and `If-None-Match`: it knows no fences. */
export interface Bucket extends AsyncDisposable {
  readonly url: string
  /** By path. */
  readonly objects: ReadonlyMap<string, { readonly body: string; readonly fence: string }>
  /** How many writes it has refused, because the object was not any more what their writer had read. */
  readonly refused: number
}

export async function openBucket(): Promise<Bucket> {
  const objects = new Map<string, { body: string; fence: string; etag: string }>()
  let writes = 0
  let refused = 0

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const found = objects.get(path)
    if (request.method === 'GET') {
      if (found === undefined) return void response.writeHead(404).end()
      response.writeHead(200, { etag: found.etag, 'x-fence': found.fence }).end(found.body)
      return
    }
    const body = (await request.toArray()).join('')
    const { 'if-match': expected, 'if-none-match': none, 'x-fence': fence = '' } = request.headers
    const isAllowed = none === '*' ? found === undefined : found?.etag === expected
    if (!isAllowed) {
      refused += 1
      return void response.writeHead(412).end()
    }
    writes += 1
    objects.set(path, { body, fence: String(fence), etag: `"${writes}"` })
    response.writeHead(200).end()
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    objects,
    get refused() {
      return refused
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
