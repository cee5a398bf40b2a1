import type { Logger } from 'lineclear'
import type { LogFields } from '../../src/library/base/logger.ts'

export interface Line extends LogFields {
  readonly level: string
  readonly message: string
}

/** Models write millions of lines in one test. */
const MOST_WARNINGS = 12

const warnings: Line[] = []

/** The last warnings and errors since the previous call, of all quiet loggers: `test/environment.ts` shows them when a test fails. */
export function takeWarnings(): readonly Line[] {
  return warnings.splice(0)
}

/** Keeps the lines instead of printing them. */
export function quietLogger(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      const line = { ...fields, level, message }
      lines.push(line)
      if (level !== 'warn' && level !== 'error') return
      if (warnings.push(line) > MOST_WARNINGS) warnings.shift()
    }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
