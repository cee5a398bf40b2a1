import { Agent, request } from 'node:http'
import * as dynamodb from '@aws-sdk/client-dynamodb'
import * as sqs from '@aws-sdk/client-sqs'
import type { LocalCloud } from 'lineclear/local'
import { isProof } from '../proof/depth.ts'
import { isCalm } from '../proof/hostile/mode.ts'

/**
 * Calls of SQS and DynamoDB go to the engines of a local cloud as plain JSON, without what the SDK does to send them (schemas, endpoint,
 * retries, signature): half of what a test of a command costs. The proof and the hostile modes use the SDK; faults are injected in it.
 */
export function withoutSdk(cloud: LocalCloud): LocalCloud {
  const { endpoints } = cloud
  if (endpoints.sqs !== undefined) sqsWithoutSdk(cloud.sqs, endpoints.sqs)
  if (endpoints.dynamodb !== undefined) dynamodbWithoutSdk(cloud.dynamodb, endpoints.dynamodb)
  return cloud
}

function sqsWithoutSdk(client: sqs.SQSClient, url: string): void {
  direct(client, { url, target: 'AmazonSQS', classes: sqs })
}

/** @returns the client */
export function dynamodbWithoutSdk(
  client: dynamodb.DynamoDBClient,
  url: string,
): dynamodb.DynamoDBClient {
  direct(client, { url, target: 'DynamoDB_20120810', classes: dynamodb })
  return client
}

interface Service {
  readonly url: string
  readonly target: string
  /** The SDK's classes, with those of its errors. */
  readonly classes: object
}

interface Call {
  readonly input: object
}

interface Client {
  readonly middlewareStack: {
    add(
      middleware: (
        next: unknown,
        context: { readonly commandName?: string },
      ) => (call: Call) => Promise<{ readonly output: object; readonly response: object }>,
      options: object,
    ): void
  }
}

const agent = new Agent({ keepAlive: true })

/** Stands after all other middleware of the first step. */
function direct(client: unknown, service: Service): void {
  if (isProof || !isCalm) return
  const { middlewareStack } = client as Client
  middlewareStack.add(
    (_, { commandName = '' }) =>
      async ({ input }) => {
        const { status, text } = await post(service, commandName.replace(/Command$/, ''), input)
        const answer = JSON.parse(text === '' ? '{}' : text, fromWire) as Record<string, unknown>
        const $metadata = { httpStatusCode: status, attempts: 1 }
        if (status >= 300) throw errorOf(service, answer, $metadata)
        return { output: { ...answer, $metadata }, response: {} }
      },
    { step: 'initialize', priority: 'low', name: 'withoutSdk', override: true },
  )
}

function post(
  { url, target }: Service,
  operation: string,
  input: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const body = JSON.stringify(input, toWire)
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(body),
    'x-amz-target': `${target}.${operation}`,
    'x-amz-date': '20260101T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/any/aws4_request, SignedHeaders=host, Signature=0',
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Binary values are base64. `this` has the value before its `toJSON`. */
function toWire(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name]
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value
}

const BINARY: ReadonlySet<string> = new Set(['B', 'BinaryValue'])

/** Below these names only binary values are texts: an attribute of such a name is an object. */
function fromWire(name: string, value: unknown): unknown {
  return BINARY.has(name) && typeof value === 'string' ? Buffer.from(value, 'base64') : value
}

type ErrorClass = new (options: object) => Error

function errorOf({ classes }: Service, answer: Record<string, unknown>, $metadata: object): Error {
  const name = String(answer['__type']).replace(/^.*#/, '')
  const { message = answer['Message'] } = answer
  const found = (classes as Record<string, unknown>)[name]
  const base = Object.entries(classes).find(([each]) => each.endsWith('ServiceException'))?.[1]
  const ErrorOf = (typeof found === 'function' ? found : base) as ErrorClass
  const options = { ...answer, name, message, $fault: 'client', $metadata }
  return Object.assign(new ErrorOf(options), { name })
}
