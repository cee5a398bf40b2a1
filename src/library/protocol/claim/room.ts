import { RequestFull } from '../../base/errors.ts'
import * as DYNAMODB from '../../base/limits/dynamodb.ts'

/**
 * Bytes of an item that effects may not use. They are reserved for retries, dead letters with error and stack, operators, and in
 * a flow for the entries of its stages and the requests that ended before. Without them a full item could never be ended.
 */
const FOR_THE_END = 65_536
/** The most bytes of effect names and results per request. */
export const MOST_BYTES: number = DYNAMODB.itemBytes - FOR_THE_END

/** The bytes that marks and results leave for a further one. */
export function roomBeside(
  marks: Iterable<string>,
  calls: Iterable<readonly [name: string, stored: string]> = [],
): number {
  return MOST_BYTES - bytesOfNames(marks, calls)
}

export function bytesOfNames(
  marks: Iterable<string>,
  calls: Iterable<readonly [name: string, stored: string]>,
): number {
  let bytes = 0
  for (const mark of marks) bytes += Buffer.byteLength(mark)
  for (const [name, stored] of calls) bytes += Buffer.byteLength(name) + Buffer.byteLength(stored)
  return bytes
}

/** @throws TerminalError `REQUEST_FULL` before anything is written or called */
export function assertRoom(room: number, name: string): void {
  // @protects a request keeps room for its end
  // @without true
  if (room >= Buffer.byteLength(name) + FOR_A_CALL) return
  throw new RequestFull(
    `the effect '${name.slice(0, 80)}' was not begun: the names and results of this request's effects have ${MOST_BYTES - room} bytes ` +
      `of at most ${MOST_BYTES}, since an item of DynamoDB has 400 KB, and its end needs the rest. The effects before it stay. Make ` +
      'several messages of it with ctx.send, give shorter names, or keep results elsewhere (offload: s3Objects({ bucket })).',
  )
}

/** Prefixes of the mark, and the key of a result that is kept elsewhere. */
export const FOR_A_CALL = 512
