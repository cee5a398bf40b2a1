import type { SQSRecord } from 'aws-lambda'
import { readEnvelope } from '../record/envelope/readEnvelope.ts'
import type { Consumer } from './consumer.ts'
import { sqsRecordOf, type UnclaimedRecord } from './incomingRecord.ts'

/** Bytes of payloads that are kept outside their messages and are read together. One that is larger is read alone. */
const MOST_BYTES = 32 * 1_048_576

/** The number of records from `start` on that are read and claimed together, and whether the ones before must have begun. */
export function cutChunk(
  sources: readonly UnclaimedRecord[],
  start: number,
  most: number,
  consumer: Consumer,
): { readonly size: number; readonly isLarge: boolean } {
  const left = Math.min(sources.length - start, most)
  if (consumer.payloads === undefined) return { size: left, isLarge: false }
  let [size, bytes] = [0, 0]
  for (; size < left; size++) {
    const source = sources[start + size]
    const more = source === undefined ? 0 : bytesToRead(sqsRecordOf(source), consumer)
    if (size > 0 && bytes + more > MOST_BYTES) break
    bytes += more
  }
  return { size, isLarge: bytes > 0 }
}

/** Bytes of its payload that are not in the message. */
export function bytesToRead(record: SQSRecord, consumer: Consumer): number {
  if (consumer.payloads === undefined) return 0
  try {
    const { carried } = readEnvelope(record, { ...consumer, now: consumer.clock.now() })
    return carried.payload?.bytes ?? 0
  } catch {
    return 0
  }
}

/** What of a record has to wait in memory: a payload that was read for it is read again. */
export function withoutPayload<Read extends { readonly record: SQSRecord }>(
  read: Read,
  consumer: Consumer,
): Read | SQSRecord {
  return bytesToRead(read.record, consumer) > 0 ? read.record : read
}
