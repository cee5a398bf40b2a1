import { type Clock, systemClock } from '../../../../base/clock.ts'
import { isObject } from '../../../../base/kindOf.ts'
import { refusalIn } from '../calls/failure.ts'
import type { Call, Input, Operation, Output } from '../calls/table.ts'
import { type Credentials, credentialsIn, type Place } from './place.ts'
import { type Post, post, type Response } from './post.ts'
import { signed } from './signature.ts'

/** What calls without the SDK depend on. Tests replace it. */
export interface Lean {
  readonly place: Place
  readonly credentials: () => Credentials | undefined
  readonly post: Post
}

/** Milliseconds through the SDK after an answer that was not clean, so that an outage does not cost one request more each time. */
const REST = 1_000

/**
 * Calls without the SDK, whose client takes most of a cold start and most of the CPU of a call. Every call whose answer is not clean
 * is made again with the same input through the SDK, which is loaded then: to the caller that is one retry more of the SDK's own, and
 * all errors but refusals are the SDK's.
 */
export function leanCalls(lean: Lean, sdk: Call, clock: Clock): Call {
  let restUntil = -Infinity
  return async (operation, input) => {
    if (clock.now() < restUntil) return sdk(operation, input)
    const answer = await callLean(lean, operation, input).catch(() => undefined)
    if (answer === undefined) {
      // @protects an answer that is not clean is followed by a call through the SDK
      // @without throw new Error()
      restUntil = clock.now() + REST
      return sdk(operation, input)
    }
    if ('refusal' in answer) throw answer.refusal
    return answer.output
  }
}

/** Calls that share the connections of the process, with the credentials of its environment. */
export function leanAt(place: Place): Lean {
  return { place, credentials: () => credentialsIn(process.env), post }
}

/** Rejects, or gives undefined, when the answer is not clean. */
async function callLean<O extends Operation>(
  lean: Lean,
  operation: O,
  input: Input<O>,
): Promise<Answer<O> | undefined> {
  const credentials = lean.credentials()
  if (credentials === undefined) return undefined
  const body = bodyOf(operation, input)
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': `DynamoDB_20120810.${operation}`,
  }
  const sent = {
    ...signed(lean.place, credentials, headers, body, systemClock.now()),
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'lineclear',
  }
  return answerOf(operation, input, await lean.post(lean.place, sent, body))
}

/** `refusal`: what the SDK throws when a condition does not hold, or a transaction is cancelled. */
type Answer<O extends Operation> = { readonly output: Output<O> } | { readonly refusal: Error }

/** As DynamoDB reads it: bytes are base64. */
function bodyOf<O extends Operation>(operation: O, input: Input<O>): string {
  // The framework's own items have no bytes, and a function that sees each value costs more than all else.
  return operation === 'TransactWriteItems' || operation === 'GetItem'
    ? JSON.stringify(input, base64)
    : JSON.stringify(input)
}

/** Reads the value from its parent: `toJSON` has turned a Buffer into an object before `JSON.stringify` calls this function. */
function base64(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const own = this[name]
  // @protects bytes of the user’s are sent as DynamoDB reads them
  // @without its else
  return own instanceof Uint8Array ? Buffer.from(own).toString('base64') : value
}

/** @returns undefined, or throws, when the answer cannot be relied on: it is then unknown whether a write was made */
function answerOf<O extends Operation>(
  operation: O,
  input: Input<O>,
  { status, text }: Response,
): Answer<O> | undefined {
  const answer: unknown = /"BS?":/.test(text) ? JSON.parse(text, bytes) : JSON.parse(text)
  if (!isObject(answer) || Array.isArray(answer)) return undefined
  const refusal = status === 400 ? refusalIn(answer) : undefined
  if (refusal !== undefined) return { refusal }
  return (
    // @protects an error is no answer
    status === 200 && isWhole(operation, input, answer) ? { output: answer } : undefined
  )
}

/** An attribute's bytes, or a set of them. An attribute that has such a name itself is an object. */
function bytes(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return bytesOf(value)
  return name === 'BS' && Array.isArray(value) ? value.map(bytesOf) : value
}

function bytesOf(text: unknown): unknown {
  return Uint8Array.from(Buffer.from(String(text), 'base64'))
}

/** The members that every answer of the operation has. */
function isWhole<O extends Operation>(
  operation: O,
  input: Input<O>,
  answer: object,
): answer is Output<O> {
  if (operation === 'BatchGetItem') return 'Responses' in answer && isObject(answer.Responses)
  if (operation === 'Query') return 'Items' in answer && Array.isArray(answer.Items)
  if (!('Statements' in input)) return true
  const responses = 'Responses' in answer && answer.Responses
  return (
    Array.isArray(responses) &&
    // @protects half an answer to a batch is none
    // @without true
    responses.length === input.Statements?.length
  )
}
