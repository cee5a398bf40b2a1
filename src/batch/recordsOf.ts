import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { ConfigError } from '../errors.ts'

/** @throws ConfigError on whatever is no event of SQS: which it is, and what takes it */
export function recordsOf(event: SQSEvent): readonly SQSRecord[] {
  const given: unknown = event
  const records = isObject(given) ? given['Records'] : undefined
  const list: readonly unknown[] | undefined = Array.isArray(records) ? records : undefined
  if (list?.every(isSqsRecord) === true) return list
  const other: unknown = list?.find((record) => !isSqsRecord(record))
  const { what, advice } = list === undefined ? ofEvent(given) : ofRecord(other)
  throw new ConfigError(
    `This handler takes events of SQS; it got ${what}. Nothing was run, and nothing was acknowledged. ${advice}`,
  )
}

interface Strange {
  readonly what: string
  readonly advice: string
}

const BY_QUEUE = 'to an SQS queue, and map that queue to this function.'
const IN_TEST = 'In a test, build the event with sqsEvent() of lineclear/testing.'

const streamOf = (what: string): Strange => ({
  what: `an event of ${what}`,
  advice: `Streams have no messages to acknowledge: wrap this function with idempotent(), or let EventBridge Pipes send what they hold ${BY_QUEUE}`,
})

const SOURCES: Readonly<Record<string, Strange>> = {
  'aws:sns': {
    what: 'an event of SNS, which calls the function itself',
    advice:
      'Subscribe an SQS queue to the topic, map that queue to this function, and name the topic in `topics`.',
  },
  'aws:s3': {
    what: 'an event of S3',
    advice: `Let the bucket send its notifications ${BY_QUEUE}`,
  },
  'aws:dynamodb': streamOf('a DynamoDB stream'),
  'aws:kinesis': streamOf('Kinesis'),
}

function ofRecord(record: unknown): Strange {
  const source = isObject(record) ? (record['eventSource'] ?? record['EventSource']) : undefined
  if (typeof source === 'string' && Object.hasOwn(SOURCES, source)) {
    const known = SOURCES[source]
    if (known !== undefined) return known
  }
  if (source === 'aws:sqs') return { what: 'a record without an eventSourceARN', advice: IN_TEST }
  return {
    what: 'a record without the eventSource "aws:sqs"',
    advice: `Check which event source the function is mapped to. ${IN_TEST}`,
  }
}

function ofEvent(event: unknown): Strange {
  if (!isObject(event)) return { what: nameOf(event), advice: IN_TEST }
  if ('requestContext' in event || 'httpMethod' in event || 'routeKey' in event) {
    return {
      what: 'an HTTP request (API Gateway, a function URL or a load balancer)',
      advice:
        'Wrap this function with idempotent() instead: by default its key is the header Idempotency-Key.',
    }
  }
  if ('detail-type' in event && 'source' in event) {
    return {
      what: 'an event of EventBridge',
      advice: `Let the rule send its events ${BY_QUEUE} Or wrap this function with idempotent().`,
    }
  }
  if ('body' in event && ('messageId' in event || 'receiptHandle' in event)) {
    return { what: 'one record', advice: `Lambda gives { Records: [record] }. ${IN_TEST}` }
  }
  return {
    what: 'an object without a list of Records',
    advice:
      `For a test event of the Lambda console choose the template "SQS". ${IN_TEST} ` +
      'A function that is called directly is wrapped with idempotent().',
  }
}

function isSqsRecord(record: unknown): record is SQSRecord {
  if (!isObject(record)) return false
  return record['eventSource'] === 'aws:sqs' && typeof record['eventSourceARN'] === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return value === null ? 'null' : `a ${typeof value}`
}
