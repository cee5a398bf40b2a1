import type { IncomingMessage } from 'node:http'
import { isObject } from '../../library/base/kindOf.ts'
import { exceedsNestingLimit } from '../../library/protocol/record/message/parsePayload.ts'
import { type JsonObject, RequestError } from './reply.ts'

/** Bytes. The payload of a dead letter that a page corrects is not sent: only its changes. */
const MOST = 256 * 1_024
const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i

/** The JSON object of a request. A page of another site cannot send this content type without being asked first. @throws RequestError */
export async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers
  if (!JSON_TYPE.test(type) || encoding !== undefined) {
    throw new RequestError(415, 'expected the content type application/json, not encoded')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > MOST) throw new RequestError(413, `expected at most ${MOST} bytes`)
    chunks.push(chunk)
  }
  const body = parse(Buffer.concat(chunks))
  if (isObject(body)) return body
  throw new RequestError(400, 'expected a JSON object')
}

/** Nothing of it is quoted: it may hold a payload. */
function parse(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!exceedsNestingLimit(text)) return JSON.parse(text)
  } catch {
    // Said below.
  }
  throw new RequestError(400, 'the body is not JSON in UTF-8, or nested too deeply')
}
