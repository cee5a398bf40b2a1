import type { SQSRecord } from 'aws-lambda'
import { readEnvelope } from '../record/envelope/readEnvelope.ts'
import type { ReadTogether } from '../record/envelope/largePayloads.ts'
import type { Consumer } from './consumer.ts'

/** Which of the records are read and claimed together. undefined: all, without a payload that is kept elsewhere. */
export function cutChunk(
  records: readonly SQSRecord[],
  consumer: Consumer,
): ReadTogether | undefined {
  const options = { ...consumer, now: consumer.clock.now() }
  return options.payloads?.cut(records, (record) => readEnvelope(record, options).carried)
}

/** What of a record waits in memory: a payload that was read for it is read again. */
export function withoutPayload<Read extends { readonly record: SQSRecord }>(
  read: Read,
  consumer: Consumer,
): Read | SQSRecord {
  return cutChunk([read.record], consumer) === undefined ? read : read.record
}
