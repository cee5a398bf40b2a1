import { Readable } from 'node:stream'

/** A request, as the SDK hands it to the network. */
export interface Sent {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}

export interface Reply {
  readonly status?: number
  readonly body?: unknown
}

/** A request handler without a network: keeps each request, and answers it. */
export function recordingHandler(
  reply: (sent: Sent, nth: number) => Reply | undefined = () => undefined,
) {
  const requests: Sent[] = []
  return {
    requests,
    async handle(sent: Sent): Promise<{ response: object }> {
      requests.push(sent)
      const { status = 200, body = answerOf(sent) } = reply(sent, requests.length - 1) ?? {}
      const text = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body
      return { response: { statusCode: status, headers: {}, body: text } }
    },
  }
}

export function operationOf({ headers }: Sent): string {
  return headers['x-amz-target']?.split('.').at(-1) ?? ''
}

export function textOf({ body }: Sent): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

/** The SDK's own requests say which try they are. */
export function wayOf({ headers }: Sent): 'SDK' | 'fast' {
  return 'amz-sdk-request' in headers ? 'SDK' : 'fast'
}

/** A good answer, in which nothing was found. */
export function answerOf(sent: Sent): string {
  const operation = operationOf(sent)
  if (operation === 'BatchGetItem') return '{"Responses":{}}'
  if (operation === 'Query') return '{"Items":[]}'
  if (operation !== 'BatchExecuteStatement') return '{}'
  const { Statements } = JSON.parse(textOf(sent)) as { Statements: object[] }
  return JSON.stringify({ Responses: Statements.map(() => ({})) })
}
