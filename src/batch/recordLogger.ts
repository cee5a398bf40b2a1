import type { Token } from '../lock/token.ts'
import { type Logger, withFields } from '../logger.ts'
import type { Message } from '../message/message.ts'
import type { Consumer } from './consumer.ts'

/** Each record has its own keys, also when records run side by side. */
export function recordLogger(
  { logger, name }: Consumer,
  message: Message<unknown>,
  token?: Token,
): Logger {
  return withFields(logger, {
    consumer: name,
    uniquerequestid: message.uniqueRequestId,
    ...(token === undefined ? {} : { attempt: token.attempt, fence: token.fence }),
  })
}
