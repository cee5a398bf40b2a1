import { isObject } from '../base/kindOf.ts'
import type { SQSEvent, SQSRecord } from 'aws-lambda'

/** @returns undefined when the event is not from SQS */
export function readRecords(event: SQSEvent): readonly SQSRecord[] | undefined {
  const list = recordsIn(event)
  return list?.every(isSqsRecord) === true ? list : undefined
}

export function recordsIn(event: unknown): readonly unknown[] | undefined {
  const records = isObject(event) ? event['Records'] : undefined
  return Array.isArray(records) ? records : undefined
}

export function isSqsRecord(record: unknown): record is SQSRecord {
  if (!isObject(record)) return false
  return record['eventSource'] === 'aws:sqs' && typeof record['eventSourceARN'] === 'string'
}
