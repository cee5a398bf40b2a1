import type { Readable } from 'node:stream'
import { isObject } from '../../../base/kindOf.ts'
import { conditionFailureIn } from './conditionFailure.ts'
import type { Input, Operation, Output } from './operations.ts'

/** What a request handler of the SDK answers. */
interface HttpResponse {
  readonly statusCode: number
  readonly body: Readable
}

export function isReadableResponse(response: unknown): response is HttpResponse {
  const { statusCode, body } = (response ?? {}) as Partial<HttpResponse>
  return statusCode !== undefined && typeof body?.on === 'function' && !body.destroyed
}

/** `refusal`: what the SDK throws when the condition of a write does not hold. */
export type Answer<O extends Operation> =
  | { readonly output: Output<O> }
  | { readonly refusal: Error }

/**
 * Reads the answer of one call, always to its end, because the socket can only be used again then.
 * @returns undefined, or rejects, when the answer cannot be relied on: it is then unknown whether a write was made
 */
export async function readAnswer<O extends Operation>(
  operation: O,
  input: Input<O>,
  { statusCode, body }: HttpResponse,
): Promise<Answer<O> | undefined> {
  const answer: unknown = JSON.parse(await textOf(body))
  if (!isObject(answer)) return undefined
  const refusal = statusCode === 400 ? conditionFailureIn(answer) : undefined
  if (refusal !== undefined) return { refusal }
  return statusCode === 200 && isWhole(operation, input, answer) ? { output: answer } : undefined
}

function textOf(body: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    body.on('data', (chunk: Buffer) => chunks.push(chunk))
    body.on('end', () => resolve(Buffer.concat(chunks).toString()))
    body.on('error', reject)
    body.on('close', () => {
      if (!body.readableEnded) reject(new Error('the answer broke off'))
    })
  })
}

/** The members that every answer of the operation has. */
function isWhole<O extends Operation>(
  operation: O,
  input: Input<O>,
  answer: object,
): answer is Output<O> {
  if (operation === 'BatchGetItem') return 'Responses' in answer && isObject(answer.Responses)
  if (!('Statements' in input)) return true
  const responses = 'Responses' in answer && answer.Responses
  return Array.isArray(responses) && responses.length === input.Statements?.length
}
