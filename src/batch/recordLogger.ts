import type { Logger, LogFields } from '../logger.ts'
import type { Token } from '../lock/token.ts'
import type { Message } from '../message/message.ts'
import type { Consumer } from './consumer.ts'

/** Each record has its own keys, also when records run side by side: nothing is set on the shared logger. */
export function recordLogger(
  { logger, name }: Consumer,
  message: Message<unknown>,
  token?: Token,
): Logger {
  const own: LogFields = {
    consumer: name,
    uniquerequestid: message.uniqueRequestId,
    ...(token === undefined ? {} : { attempt: token.attempt, fence: token.fence }),
  }
  return {
    debug: (text, fields) => logger.debug(text, { ...own, ...fields }),
    info: (text, fields) => logger.info(text, { ...own, ...fields }),
    warn: (text, fields) => logger.warn(text, { ...own, ...fields }),
    error: (text, fields) => logger.error(text, { ...own, ...fields }),
  }
}
