/** Any structural logger fits: Powertools Logger, pino, console. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export type LogFields = Record<string, unknown>

const LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const
type Level = (typeof LEVELS)[number]

/** JSON lines of the shape Powertools Logger writes, so that one query finds both. */
export function jsonLogger(
  least: Level = 'INFO',
  write: (line: string) => void = console.log,
): Logger {
  const at =
    (level: Level) =>
    (message: string, fields?: LogFields): void => {
      if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
      write(JSON.stringify({ level, message, timestamp: new Date().toISOString(), ...fields }))
    }
  return { debug: at('DEBUG'), info: at('INFO'), warn: at('WARN'), error: at('ERROR') }
}
