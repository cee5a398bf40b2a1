import { isObject, kindOf } from '../../base/kindOf.ts'
import { ConfigError } from '../../base/errors.ts'
import { isDelivery } from '../../protocol/record/envelope/isDelivery.ts'
import { isSqsRecord, recordsIn } from './readRecord.ts'

/** Says what an event that is not from SQS is, and which function of Lineclear handles it. */
export function unexpectedEvent(event: unknown): ConfigError {
  const list = recordsIn(event)
  const other = list?.find((record) => !isSqsRecord(record))
  const [what, advice] = list === undefined ? describeEvent(event) : describeRecord(other)
  return new ConfigError(
    `This handler takes events of SQS; it got ${what}. Nothing was run, and nothing was acknowledged. ${advice}`,
  )
}

/** The context tells the time left, and which function and request it is. */
export function noContext(given: unknown): ConfigError {
  const [got, advice] = isObject(given) ? ['a DurableContext', START_ONE] : [kindOf(given), PASS_IT]
  return new ConfigError(
    `This handler takes the context of Lambda as its second argument; it got ${got}. Nothing was run, and nothing was ` +
      `acknowledged. ${advice}`,
  )
}

const PASS_IT =
  'Pass it on: handler(event, context). In a test, deliver the message with memoryCloud() of lineclear/testing, which has one.'
const START_ONE =
  "A consumer starts executions: ctx.call('start', …), DurableExecutionName: ctx.idempotencyKey('start', { maxLength: 64 })."

type UnexpectedEvent = readonly [what: string, advice: string]

const BY_QUEUE =
  'Let its source send to an SQS queue, and map that queue to this function; a topic is also named in `envelopes`, by snsTopic(arn). Or wrap this ' +
  'function with idempotent().'
const BY_SUBSCRIBER =
  'Let its subscriber deliver to an SQS queue, map that queue to this function, and open its events with eventBridge() in `envelopes`. Or take ' +
  'invocationHandler, with BatchConfiguration.MaxBatchSize: 1.'
const IN_TEST = 'In a test, build the event with sqsEvent() of lineclear/testing.'

const BY_PIPES =
  'Map the queue to this function in place of the pipe; or return handler({ Records: event }, context) from a function that the pipe calls.'

function describeRecord(record: unknown): UnexpectedEvent {
  const source = isObject(record) ? (record['eventSource'] ?? record['EventSource']) : undefined
  if (source === 'aws:sqs') return ['a record without an eventSourceARN', IN_TEST]
  if (typeof source === 'string' && /^aws:[\w-]{1,32}$/.test(source)) {
    return [`an event of ${source}`, BY_QUEUE]
  }
  return [
    'a record without the eventSource "aws:sqs"',
    `Check which event source the function is mapped to. ${IN_TEST}`,
  ]
}

function describeEvent(event: unknown): UnexpectedEvent {
  if (Array.isArray(event) && event.length > 0 && event.every(isSqsRecord)) {
    return ['a list of records, as EventBridge Pipes gives it', BY_PIPES]
  }
  if ([event].flat().some(isDelivery)) return ['an event of a Custom Event Bus', BY_SUBSCRIBER]
  if (!isObject(event)) return [kindOf(event), IN_TEST]
  if (['requestContext', 'httpMethod', 'routeKey', 'raw_path'].some((name) => name in event)) {
    return [
      'an HTTP request (API Gateway, a function URL, a load balancer or VPC Lattice)',
      'Wrap this function with idempotent() instead: by default its key is the header Idempotency-Key.',
    ]
  }
  if ('DurableExecutionArn' in event) return ['a durable execution', START_ONE]
  if ('detail-type' in event && 'source' in event) {
    return ['an event of EventBridge', BY_QUEUE]
  }
  if ('body' in event && ('messageId' in event || 'receiptHandle' in event)) {
    return ['one record', `Lambda gives { Records: [record] }. ${IN_TEST}`]
  }
  return [
    'an object without a list of Records',
    `For a test event of the Lambda console choose the template "SQS". ${IN_TEST} ` +
      'A function that is called directly is wrapped with idempotent().',
  ]
}
