import { ConfigError } from '../../errors.ts'

/** A text is the payload as it is, anything else becomes JSON. */
export function bodyText(payload: unknown): string {
  const text: unknown = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (typeof text === 'string') return text
  const what = payload === undefined ? 'undefined' : `a ${typeof payload}`
  throw new ConfigError(`payload: expected a text or a value that JSON can hold, got ${what}`)
}
