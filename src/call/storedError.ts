import { decodeValue, encodeValue, toPlainData } from '../context/results/storedValue.ts'
import { messageOf, TerminalError } from '../base/errors.ts'

/** An error as text, with its own fields, such as `statusCode` and `expose` of http-errors, but without its stack. */
export function encodeError(error: unknown): string {
  if (!(error instanceof Error)) return encodeFields('Error', messageOf(error), {})
  const { name, message } = error
  try {
    const text = encodeFields(
      name,
      message,
      toPlainData(Object.fromEntries(Object.entries(error))).value,
    )
    if (text.length <= MAX_TEXT) return text
  } catch {
    // The fields cannot be stored, so the error is stored without them.
  }
  return encodeFields(name, message.slice(0, MAX_TEXT / 10), {})
}

/** Characters. */
const MAX_TEXT = 50_000

function encodeFields(name: string, message: string, fields: unknown): string {
  return encodeValue({ name, message, fields })
}

/** The stored error, with the same name, message and fields, as a TerminalError. A field `__proto__` stays a plain field. */
export function decodeError(text: string): Error {
  const stored = parse(text)
  if (stored === undefined) return new TerminalError(text)
  const { name, message, fields } = stored
  return Object.defineProperties(new TerminalError(message), {
    ...Object.getOwnPropertyDescriptors(fields),
    name: { value: name, configurable: true, writable: true },
  })
}

function parse(text: string): { name: string; message: string; fields: object } | undefined {
  try {
    const value = decodeValue(text)
    if (typeof value !== 'object' || value === null) return undefined
    if (!('name' in value) || !('message' in value) || !('fields' in value)) return undefined
    const { name, message, fields } = value
    if (typeof name !== 'string' || typeof message !== 'string') return undefined
    return typeof fields === 'object' && fields !== null ? { name, message, fields } : undefined
  } catch {
    return undefined
  }
}
