import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Lambda } from '@aws-sdk/client-lambda'

export interface Served {
  /** By the ARN of the queue; each mapping comes on a page of its own. */
  readonly mappings?: Readonly<Record<string, readonly object[]>>
  /** By the ARN of the function. */
  readonly functions?: Readonly<Record<string, object>>
  /** By the name of the function; the others are of the default. */
  readonly loops?: Readonly<Record<string, 'Allow' | 'Terminate'>>
  /** Paths that these credentials may not ask. */
  readonly refused?: RegExp
}

/** Lambda's REST protocol on this machine, for what the doctor asks, and the client that speaks it. */
export async function serveLambda(served: Served) {
  const server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://lambda')
    if (served.refused?.test(pathname) === true) {
      return answer(response, 403, { Message: 'not authorized' }, 'AccessDeniedException')
    }
    const found = answerTo(pathname, searchParams, served)
    return found === undefined
      ? answer(response, 404, { Message: 'no such function' }, 'ResourceNotFoundException')
      : answer(response, 200, found)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credentials = { accessKeyId: 'x', secretAccessKey: 'x' }
  const lambda = new Lambda({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  return {
    lambda,
    endpoint,
    [Symbol.asyncDispose]: async () => {
      lambda.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function answerTo(path: string, query: URLSearchParams, served: Served): object | undefined {
  if (path === '/2015-03-31/event-source-mappings') {
    const mappings = served.mappings?.[query.get('EventSourceArn') ?? ''] ?? []
    const page = Number(query.get('Marker') ?? 0)
    const more = page + 1 < mappings.length ? { NextMarker: String(page + 1) } : {}
    return { EventSourceMappings: mappings.slice(page, page + 1), ...more }
  }
  const [, version, asked = '', name = '', what] = path.split('/')
  if (asked !== 'functions') return undefined
  const id = decodeURIComponent(name)
  if (version === '2015-03-31' && what === 'configuration') return served.functions?.[id]
  // As Lambda, which takes no version and no alias here.
  if (version !== '2024-08-31' || what !== 'recursion-config' || id.split(':').length > 7) return
  return { RecursiveLoop: served.loops?.[id.split(':').at(-1) ?? ''] ?? 'Terminate' }
}

function answer(response: ServerResponse, status: number, body: object, error?: string): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(error === undefined ? {} : { 'x-amzn-errortype': error }),
  })
  response.end(JSON.stringify(body))
}
