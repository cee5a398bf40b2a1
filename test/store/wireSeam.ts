import { Readable } from 'node:stream'
import type {
  DynamoDBClient,
  ServiceInputTypes,
  ServiceOutputTypes,
} from '@aws-sdk/client-dynamodb'
import type { Call } from './seam.ts'

interface WireRequest {
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
}

export interface WireResponse {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body: AsyncIterable<Uint8Array>
}

/** An answer of the engine's that is an error. It passes unchanged. */
class Refused extends Error {
  readonly statusCode: number

  constructor(statusCode: number, text: string) {
    super(text)
    this.statusCode = statusCode
  }
}

/**
 * As `intercept`, but where the request is handed to the network, by the SDK or without it.
 */
export function interceptWire(
  client: DynamoDBClient,
  react: (call: Call) => Promise<ServiceOutputTypes>,
): DynamoDBClient {
  const { requestHandler } = client.config
  let calls = 0
  const handle = async (request: WireRequest, options?: object): Promise<unknown> => {
    const carryOut = async (input?: object): Promise<ServiceOutputTypes> => {
      const body = input === undefined ? request.body : JSON.stringify(input)
      const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) }
      const carried = Object.assign(Object.create(request) as object, { body, headers })
      const { response } = (await requestHandler.handle(carried, options)) as {
        response: WireResponse
      }
      const { statusCode } = response
      const text = await textOf(response.body)
      if (statusCode !== 200) throw new Refused(statusCode, text)
      return JSON.parse(text) as ServiceOutputTypes
    }
    const text =
      typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body)
    const command = `${request.headers['x-amz-target']?.split('.').at(-1)}Command`
    const input = JSON.parse(text) as ServiceInputTypes
    try {
      const output = await react({ command, input, nth: calls++, send: carryOut })
      return { response: responseOf(200, JSON.stringify(output)) }
    } catch (error) {
      return { response: errorResponse(error) }
    }
  }
  const wrapped = Object.assign(Object.create(requestHandler) as object, { handle })
  Object.assign(client.config, { requestHandler: wrapped })
  return client
}

/** @throws what is not an error of the service's: it broke the connection */
function errorResponse(error: unknown): WireResponse {
  if (error instanceof Refused) return responseOf(error.statusCode, error.message)
  if (!(error instanceof Error) || !('$fault' in error)) throw error
  const { name, message } = error
  const __type = `com.amazonaws.dynamodb.v20120810#${name}`
  const status = name.startsWith('Internal') ? 500 : 400
  return responseOf(
    status,
    JSON.stringify({ ...Object.fromEntries(Object.entries(error)), __type, message }),
  )
}

function responseOf(statusCode: number, text: string): WireResponse {
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  return { statusCode, headers, body: Readable.from([Buffer.from(text)]) }
}

export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
