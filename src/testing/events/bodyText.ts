import { ConfigError } from '../../base/errors.ts'

/** The body of a message: a string as it is, anything else as JSON. */
export function bodyText(payload: unknown): string {
  const text: unknown = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (typeof text === 'string') return text
  const what = payload === undefined ? 'undefined' : `a ${typeof payload}`
  throw new ConfigError(`payload: expected a string or a value that JSON can hold, got ${what}`)
}
