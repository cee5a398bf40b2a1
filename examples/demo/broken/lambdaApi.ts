import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Mapping } from './mappings.ts'

const MAPPINGS = '/2015-03-31/event-source-mappings'
const TAGS = '/2017-03-31/tags/'

/**
 * The part of Lambda's API that `lineclear pause` needs, on this machine.
 * https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 */
export async function serveMappings(mappings: readonly Mapping[]) {
  const server = createServer((request, response) => {
    void answer(request, mappings)
      .catch(() => undefined)
      .then((body) => {
        const headers =
          body === undefined ? { 'x-amzn-errortype': 'ResourceNotFoundException' } : {}
        response.writeHead(body === undefined ? 404 : 200, {
          'content-type': 'application/json',
          ...headers,
        })
        response.end(JSON.stringify(body ?? { Message: 'There is no such mapping or function.' }))
      })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function answer(
  request: IncomingMessage,
  mappings: readonly Mapping[],
): Promise<object | undefined> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://lambda')
  if (pathname.startsWith(TAGS)) {
    const arn = decodeURIComponent(pathname.slice(TAGS.length))
    const found = mappings.find(({ FunctionArn }) => FunctionArn === arn)
    return found && { Tags: found.tags }
  }
  if (pathname === MAPPINGS || pathname === `${MAPPINGS}/`) {
    const queue = searchParams.get('EventSourceArn')
    const name = searchParams.get('FunctionName')
    const found = mappings.filter(
      ({ EventSourceArn, FunctionArn }) =>
        (queue === null || queue === EventSourceArn) &&
        (name === null || FunctionArn === name || FunctionArn.endsWith(`:${name}`)),
    )
    return { EventSourceMappings: found.map(described) }
  }
  const one = mappings.find(({ UUID }) => pathname === `${MAPPINGS}/${UUID}`)
  if (one === undefined) return undefined
  if (request.method === 'PUT') {
    const { Enabled } = (await json(request)) as { readonly Enabled?: boolean }
    if (Enabled === true) one.enable()
    if (Enabled === false) await one.disable()
  }
  return described(one)
}

function described({ UUID, EventSourceArn, FunctionArn, State }: Mapping): object {
  return { UUID, EventSourceArn, FunctionArn, State: State() }
}
