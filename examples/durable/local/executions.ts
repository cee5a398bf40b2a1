import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing'

type Handler = ConstructorParameters<typeof LocalDurableTestRunner>[0]['handlerFunction']

/** The asynchronous Invoke of Lambda for one durable function, which AWS's own runner executes. */
export interface Executions extends AsyncDisposable {
  readonly endpoint: string
  /** Resolves when all executions have ended. */
  ended(): Promise<void>
  /** Executions that were begun. */
  count(): number
}

/**
 * A name begins one execution. With the same payload it is that execution again, with another it is refused.
 * https://docs.aws.amazon.com/lambda/latest/dg/durable-invoking.html
 */
export async function serveExecutions(handlerFunction: Handler): Promise<Executions> {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false })
  const payloads = new Map<string, string>()
  const running: Promise<unknown>[] = []
  const answer = async (request: IncomingMessage): Promise<number> => {
    const name = String(request.headers['x-amz-durable-execution-name'])
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const payload = Buffer.concat(chunks).toString()
    const before = payloads.get(name)
    if (before !== undefined) return before === payload ? 202 : 409
    payloads.set(name, payload)
    const runner = new LocalDurableTestRunner({ handlerFunction })
    running.push(runner.run({ payload: JSON.parse(payload) as unknown }))
    return 202
  }
  const server = createServer((request, response) => {
    void answer(request).then((status) => response.writeHead(status).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    ended: async () => void (await Promise.all(running)),
    count: () => running.length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await LocalDurableTestRunner.teardownTestEnvironment()
    },
  }
}
