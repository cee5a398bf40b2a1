import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A function and its event source mapping, in the words of Lambda's API. */
export interface Deployed {
  readonly queueArn: string
  readonly functionArn: string
  readonly function: Readonly<Record<string, unknown>>
  readonly mapping: Readonly<Record<string, unknown>>
}

export interface LambdaApi {
  readonly endpoint: string
  add(deployed: Deployed): void
  /** Told of each mapping that is enabled or disabled, by the ARN of its queue. */
  onSwitch(listener: (queueArn: string, enabled: boolean) => void): void
  stop(): Promise<void>
}

const MAPPINGS = '/2015-03-31/event-source-mappings'

/** What operators may ask Lambda: mappings, functions, tags; and that a mapping is changed, enabled or disabled. */
export async function serveLambda(): Promise<LambdaApi> {
  const all: Deployed[] = []
  const states = new Map<number, string>()
  const updates = new Map<number, object>()
  /** As the API has times: epoch seconds. */
  const changed = new Map<number, number>()
  const listeners: ((queueArn: string, enabled: boolean) => void)[] = []
  const described = ({ queueArn, functionArn, mapping }: Deployed, at: number): object => ({
    UUID: uuidOf(at),
    EventSourceArn: queueArn,
    FunctionArn: functionArn,
    State: 'Enabled',
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 10 },
    ...mapping,
    ...updates.get(at),
    ...(states.has(at) && { State: states.get(at), LastModified: changed.get(at) }),
  })
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += String(chunk)
    })
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://lambda')
      const found = answerOf(decodeURIComponent(pathname), searchParams.get('EventSourceArn'), body)
      const missing = { Message: 'There is no such mapping or function.' }
      response.writeHead(found === undefined ? 404 : 200, {
        'content-type': 'application/json',
        ...(found === undefined && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
      })
      response.end(JSON.stringify(found ?? missing))
    })
  })
  await new Promise<void>((up) => {
    server.listen(0, '127.0.0.1', up)
  })
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (deployed) => void all.push(deployed),
    onSwitch: (listener) => void listeners.push(listener),
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }

  function answerOf(path: string, queue: string | null, body: string): object | undefined {
    if (path.replace(/\/$/, '') === MAPPINGS) {
      const EventSourceMappings = all.flatMap((each, at) =>
        queue === null || each.queueArn === queue ? [described(each, at)] : [],
      )
      return { EventSourceMappings }
    }
    const at = all.findIndex((_, nth) => path === `${MAPPINGS}/${uuidOf(nth)}`)
    const mapping = all[at]
    if (mapping !== undefined) {
      const { Enabled, ...update } = JSON.parse(body === '' ? '{}' : body) as {
        readonly Enabled?: boolean
      }
      updates.set(at, { ...updates.get(at), ...update })
      if (Enabled !== undefined) {
        states.set(at, Enabled ? 'Enabled' : 'Disabled')
        changed.set(at, Date.now() / 1_000)
        for (const listener of listeners) listener(mapping.queueArn, Enabled)
      }
      return described(mapping, at)
    }
    const named = all.find(({ functionArn }) => path.includes(functionArn))
    if (named === undefined) return undefined
    if (path.includes('/tags/')) return { Tags: {} }
    if (path.endsWith('/recursion-config')) return { RecursiveLoop: 'Terminate' }
    return { FunctionArn: named.functionArn, ...named.function }
  }
}

function uuidOf(at: number): string {
  return `00000000-0000-4000-8000-${String(at + 1).padStart(12, '0')}`
}
