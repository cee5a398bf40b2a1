/**
 * The few names of OpenTelemetry's semantic conventions that spans of messages need, as of version 1.45. A package with all of them
 * would be larger than this room. `aws.sqs` and `messaging.system.name` are new in that version: before it was `aws_sqs` in
 * `messaging.system`, which is deprecated.
 * - https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 * - https://opentelemetry.io/docs/specs/semconv/messaging/sqs/ and …/sns/
 * - https://opentelemetry.io/docs/specs/semconv/faas/aws-lambda/#sqs
 */
export const SYSTEM = 'messaging.system.name'
export const SQS = 'aws.sqs'
export const SNS = 'aws.sns'
export const OPERATION_NAME = 'messaging.operation.name'
export const OPERATION_TYPE = 'messaging.operation.type'
export const DESTINATION = 'messaging.destination.name'
export const MESSAGE_ID = 'messaging.message.id'
export const BATCH_COUNT = 'messaging.batch.message_count'
export const QUEUE_URL = 'aws.sqs.queue.url'
export const TOPIC_ARN = 'aws.sns.topic.arn'
export const TRIGGER = 'faas.trigger'
/** The conventions' word for what a queue or a topic triggers. */
export const PUBSUB = 'pubsub'
export const ERROR_TYPE = 'error.type'

/** Attributes of Lineclear's own. */
export const ID = 'lineclear.uniquerequestid'
export const ATTEMPT = 'lineclear.attempt'
/** Number of the copy; absent on the first sending. */
export const RETRY = 'lineclear.retry'
/** How the delivery ended: the `kind` of its settlement. */
export const OUTCOME = 'lineclear.outcome'
/** Why it was dead-lettered. */
export const REASON = 'lineclear.reason'
/** When it comes back, ISO-8601. */
export const UNTIL = 'lineclear.until'
/** The name given to `ctx.once`. It is no part of the span's name, because it may contain an id. */
export const CALL = 'lineclear.call'
/** Messages that were not accepted. */
export const REFUSED = 'lineclear.refused'

/** The attribute `lineclear.consumer`, `lineclear.flow` or `lineclear.stage`. */
export function named(name: string): string {
  return `lineclear.${name}`
}
