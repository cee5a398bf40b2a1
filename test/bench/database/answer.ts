import {
  type openOperations,
  answerTo,
} from '../../../src/testing/local/engines/dynamodb/operations.ts'
import type { Tally } from './tally.ts'

export type Answer = ReturnType<typeof answerTo>

export function answer(
  operation: string,
  bytes: Buffer,
  operate: ReturnType<typeof openOperations>,
  tally: Tally,
): Answer {
  const meter = new Map<string, number>()
  const answered = answerTo(operation, bytes.toString(), (name, request) =>
    operate(name, request, meter),
  )
  const kind = /Get|Query|Scan/.test(operation) ? 'read' : 'write'
  for (const units of meter.values()) tally.units[kind] += units
  tally.requests += 1
  tally.bodies += bytes.byteLength
  tally.byOperation[operation] = (tally.byOperation[operation] ?? 0) + 1
  if (isMistake(answered)) tally.mistake ??= answered.body
  return answered
}

/** A peer that then falls back on something else would be counted wrongly. A condition that is not met is no mistake. */
function isMistake({ status, body }: Answer): boolean {
  const isRefused = /ConditionalCheckFailed|TransactionCanceled/.test(body)
  return body.includes('"ValidationError"') || (status !== 200 && !isRefused)
}
