// @acts, and reads the clock

import { ConfigError } from './errors.ts'
import { kindOf } from './kindOf.ts'

/**
 * Receives the framework's log lines. Any logger with these methods fits: Powertools Logger, winston, console; and pino and bunyan,
 * which get the fields before the message, as they take them.
 */
export interface Logger {
  debug(message: string, ...fields: LogFields[]): void
  info(message: string, ...fields: LogFields[]): void
  warn(message: string, ...fields: LogFields[]): void
  error(message: string, ...fields: LogFields[]): void
}

/** Fields of a log line, beside its message. */
export type LogFields = Record<string, unknown>

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const
type Level = (typeof LEVELS)[number]

/**
 * Writes JSON lines in the shape of Powertools Logger, so that one query finds both.
 * @param least the lowest level that is written. Default: that of the function (`AWS_LAMBDA_LOG_LEVEL`), else `INFO`.
 * @param write takes one line. Default `console.log`.
 * @throws ConfigError when there is no such level.
 * @example const consumer = recordHandler({ name: 'orders', store, logger: jsonLogger('WARN') }, work)
 */
export function jsonLogger(
  least: Level = levelOfFunction(),
  write: (line: string) => void = console.log,
): Logger {
  if (!LEVELS.includes(least)) {
    throw new ConfigError(`jsonLogger: expected one of ${LEVELS.join(', ')}; got ${kindOf(least)}`)
  }
  const at = (level: Level): Logger['info'] =>
    LEVELS.indexOf(level) < LEVELS.indexOf(least)
      ? silent
      : (message, ...fields) => {
          const timestamp = new Date().toISOString()
          write(JSON.stringify(Object.assign({ level, message, timestamp }, ...fields)))
        }
  return { debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') }
}

/** Lambda sets it where the function's logging configuration has one. */
function levelOfFunction(): Level {
  const set = process.env['AWS_LAMBDA_LOG_LEVEL']
  if (set === 'TRACE') return 'DEBUG'
  if (set === 'FATAL') return 'ERROR'
  return LEVELS.find((level) => level === set) ?? 'INFO'
}

/** A level that is off. What wraps it stays silent too, so that its lines are not even put together. */
function silent(): void {}

/** Wraps a logger that may throw or reject, so that it cannot fail the record whose line it writes. */
export function safeLogger(logger: Logger): Logger {
  const fieldsFirst = 'bindings' in logger || 'addSerializers' in logger
  const write = (level: keyof Logger, message: string, fields: readonly LogFields[]): unknown =>
    fieldsFirst
      ? Reflect.apply(logger[level], logger, [merged({}, fields), message])
      : logger[level](message, ...fields)
  const at = (level: keyof Logger): Logger['info'] =>
    logger[level] === silent
      ? silent
      : (message, ...fields) =>
          // @protects a logger that throws fails nothing
          // @without write(level, message, fields) @tests test/call/throwingLogger
          callSafely(() => write(level, message, fields))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Calls a user's callback whose failure must have no effect, including the rejection of a promise that it returns. */
export function callSafely(
  call: () => unknown,
  onError: (error: unknown) => void = () => {},
): void {
  try {
    const given = call()
    if (given instanceof Promise) given.catch(onError)
  } catch (error) {
    onError(error)
  }
}

/** A logger that adds `own` to every line, and leaves `logger` unchanged. */
export function withFields(logger: Logger, own: LogFields): Logger {
  return {
    debug:
      logger.debug === silent
        ? silent
        : (message, ...fields) => logger.debug(message, merged(own, fields)),
    info: (message, ...fields) => logger.info(message, merged(own, fields)),
    warn: (message, ...fields) => logger.warn(message, merged(own, fields)),
    error: (message, ...fields) => logger.error(message, merged(own, fields)),
  }
}

function merged(own: LogFields, fields: readonly LogFields[]): LogFields {
  const all: LogFields = { ...own }
  for (const each of fields) Object.assign(all, each)
  return all
}
