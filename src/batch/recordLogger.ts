import { type LogFields, type Logger, withFields } from '../logger.ts'
import type { Message } from '../record/message/message.ts'
import type { Consumer } from './consumer.ts'

/** Each record has its own keys, also when records run side by side. */
export function recordLogger(
  { logger, name }: Consumer,
  message: Message<unknown>,
  fields: LogFields = {},
): Logger {
  const { traceparent } = message.envelope.carried
  return withFields(logger, {
    consumer: name,
    uniquerequestid: message.uniqueRequestId,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...fields,
  })
}
