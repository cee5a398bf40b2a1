import type { SQSRecord } from 'aws-lambda'
import { readEnvelope } from '../record/envelope/readEnvelope.ts'
import { isCompressed } from '../record/envelope/wrapper.ts'
import type { Consumer } from './consumer.ts'

interface ReadTogether {
  /** The first ones, at least one. */
  readonly size: number
}

/** Bytes that are opened together, beyond what is in the event itself. A record that needs more is opened alone. */
const MOST_AHEAD = 32 * 1_048_576
/**
 * What a compressed record counts for. It holds up to 1 MiB, and who fills it with `[{},{},…` gets twenty times as much memory: so few
 * of them are opened together, right before their claim.
 */
const COMPRESSED_BYTES = 8 * 1_048_576

/** Which of the records are read and claimed together. undefined: all, since none holds more than the event shows. */
export function cutChunk(
  records: readonly SQSRecord[],
  consumer: Consumer,
): ReadTogether | undefined {
  let [size, sum] = [0, 0]
  for (const record of records) {
    sum += bytesToOpen(record, consumer)
    if (size > 0 && sum > MOST_AHEAD) break
    size += 1
  }
  return sum === 0 ? undefined : { size }
}

function bytesToOpen(record: SQSRecord, consumer: Consumer): number {
  const compressed = isCompressed(record.body) ? COMPRESSED_BYTES : 0
  const { bytesToOpen } = consumer.features
  if (bytesToOpen === undefined) return compressed
  try {
    const { carried } = readEnvelope(record, { ...consumer, now: consumer.clock.now() })
    return compressed + (carried.payload === undefined ? 0 : bytesToOpen(carried.payload))
  } catch {
    return compressed
  }
}

/** What of a record waits in memory: what was opened for it is opened again. */
export function withoutPayload<Read extends { readonly record: SQSRecord }>(
  read: Read,
  consumer: Consumer,
): Read | SQSRecord {
  return cutChunk([read.record], consumer) === undefined ? read : read.record
}
