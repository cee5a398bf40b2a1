import type { LogFields, Logger } from 'lineclear'

export interface Line extends LogFields {
  readonly level: string
  readonly message: string
}

/** Keeps the lines instead of printing them. */
export function quietLogger(): Logger & { readonly lines: readonly Line[] } {
  const lines: Line[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void => {
      lines.push({ ...fields, level, message })
    }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
