import type { IncomingMessage } from 'node:http'
import { servePrograms } from '../engines/loopbackGuard.ts'
import type { QueueMapping } from './mapQueue.ts'

/** What `lineclear pause` sees of a mapping; `mapQueue` gives one, and so can code that represents a mapping of another process. */
export type ServedMapping = Pick<QueueMapping, 'queueArn' | 'functionArn' | 'state' | 'tags'> & {
  /** Resolves when it has paused. */
  pause(): Promise<void>
  resume(): void | Promise<void>
}

/** A running server of `serveMappings`. */
export interface MappingServer extends AsyncDisposable {
  /** For `lambda` in `.lineclear/local.json`, or AWS_ENDPOINT_URL_LAMBDA. */
  readonly endpoint: string
  /** Ends the server; the mappings go on. */
  stop(): Promise<void>
}

const MAPPINGS = '/2015-03-31/event-source-mappings'
const TAGS = '/2017-03-31/tags/'

/**
 * Serves the part of Lambda's API that `lineclear pause` and `resume` need, for mappings on this machine: on a free port of
 * 127.0.0.1, to all programs of this machine, and to no web page.
 * https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 * @param mappings a mapping's place in the list is its UUID; a function is asked for the list at each request
 * @example
 * const cloud = await startLocalCloud({ queues: { orders: {} } })
 * const handler = recordHandler({ name: 'orders', store, clients: { sqs: cloud.sqs } }, work)
 * const orders = mapQueue({ cloud, queue: 'orders', handler, tags: { 'lineclear:consumer': 'orders' } })
 * await using lambda = await serveMappings([orders])
 */
export async function serveMappings(
  mappings: readonly ServedMapping[] | (() => readonly ServedMapping[]),
): Promise<MappingServer> {
  const list = typeof mappings === 'function' ? mappings : () => mappings
  const { endpoint, stop } = await servePrograms(async (request, body) => {
    const unknown = request.method === 'PUT' ? notCarriedOut(body) : []
    if (unknown.length > 0) {
      const Message = `This server changes Enabled only, and not ${unknown.join(', ')}.`
      return {
        status: 400,
        body: JSON.stringify({ Message }),
        error: 'InvalidParameterValueException',
      }
    }
    const found = await answer(request, body, list())
    if (found !== undefined) return { status: 200, body: JSON.stringify(found) }
    const Message = 'There is no such mapping or function.'
    return { status: 404, body: JSON.stringify({ Message }), error: 'ResourceNotFoundException' }
  })
  return { endpoint, stop, [Symbol.asyncDispose]: stop }
}

/** An operator who was not refused would take it for done. */
function notCarriedOut(body: string): readonly string[] {
  return Object.keys(JSON.parse(body) as object).filter((name) => name !== 'Enabled')
}

async function answer(
  request: IncomingMessage,
  body: string,
  mappings: readonly ServedMapping[],
): Promise<object | undefined> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://lambda')
  if (pathname.startsWith(TAGS)) {
    const arn = decodeURIComponent(pathname.slice(TAGS.length))
    const found = mappings.find(({ functionArn }) => functionArn === arn)
    return found && { Tags: found.tags }
  }
  const numbered = mappings.map((mapping, at) => ({
    mapping,
    UUID: `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`,
  }))
  if (pathname === MAPPINGS || pathname === `${MAPPINGS}/`) {
    const queue = searchParams.get('EventSourceArn')
    const name = searchParams.get('FunctionName')
    const found = numbered.filter(
      ({ mapping: { queueArn, functionArn } }) =>
        (queue === null || queue === queueArn) &&
        (name === null || functionArn === name || functionArn.endsWith(`:${name}`)),
    )
    return { EventSourceMappings: found.map(described) }
  }
  const one = numbered.find(({ UUID }) => pathname === `${MAPPINGS}/${UUID}`)
  if (one === undefined) return undefined
  if (request.method === 'PUT') {
    const { Enabled } = JSON.parse(body) as { readonly Enabled?: boolean }
    if (Enabled === true) await one.mapping.resume()
    if (Enabled === false) await one.mapping.pause()
  }
  return described(one)
}

function described({ mapping, UUID }: { mapping: ServedMapping; UUID: string }): object {
  const { queueArn, functionArn, state } = mapping
  return { UUID, EventSourceArn: queueArn, FunctionArn: functionArn, State: STATES[state] }
}

const STATES: Readonly<Record<ServedMapping['state'], string>> = {
  enabled: 'Enabled',
  pausing: 'Disabling',
  paused: 'Disabled',
  stopped: 'Disabled',
}
