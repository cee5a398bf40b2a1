import { ConfigError } from './errors.ts'
import { kindOf } from './kindOf.ts'

/** Any structural logger fits: Powertools Logger, pino, console. */
export interface Logger {
  debug(message: string, ...fields: LogFields[]): void
  info(message: string, ...fields: LogFields[]): void
  warn(message: string, ...fields: LogFields[]): void
  error(message: string, ...fields: LogFields[]): void
}

export type LogFields = Record<string, unknown>

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const
type Level = (typeof LEVELS)[number]

/** JSON lines of the shape Powertools Logger writes, so that one query finds both. */
export function jsonLogger(
  least: Level = 'INFO',
  write: (line: string) => void = console.log,
): Logger {
  if (!LEVELS.includes(least)) {
    throw new ConfigError(`jsonLogger: expected one of ${LEVELS.join(', ')}; got ${kindOf(least)}`)
  }
  const at =
    (level: Level): Logger['info'] =>
    (message, ...fields) => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
      const timestamp = new Date().toISOString()
      write(JSON.stringify(merged([{ level, message, timestamp }, ...fields])))
    }
  return { debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') }
}

/** What a logger throws, or rejects with, must not cost the record that it was to tell of. */
export function safeLogger(logger: Logger): Logger {
  const at =
    (level: keyof Logger): Logger['info'] =>
    (message, ...fields) =>
      callSafely(() => logger[level](message, ...fields))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Calls what is not ours and has no say in what we do: also a promise that it gives may fail. */
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

/** A logger that puts `own` on every line, and nothing on the logger it stands on. */
export function withFields(logger: Logger, own: LogFields): Logger {
  return {
    debug: (message, ...fields) => logger.debug(message, merged([own, ...fields])),
    info: (message, ...fields) => logger.info(message, merged([own, ...fields])),
    warn: (message, ...fields) => logger.warn(message, merged([own, ...fields])),
    error: (message, ...fields) => logger.error(message, merged([own, ...fields])),
  }
}

function merged(fields: readonly LogFields[]): LogFields {
  const all: LogFields = {}
  for (const each of fields) Object.assign(all, each)
  return all
}
