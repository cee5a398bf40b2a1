import { decodeValue, encodeValue } from '../context/results/storedValue.ts'
import { messageOf, TerminalError } from '../errors.ts'
import { toPlainData } from '../context/results/toPlainData.ts'

/** An error as text, with what handlers further out decide by, such as `statusCode` and `expose`. Not its stack. */
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
    // Fields that cannot be stored are not worth the error they belong to.
  }
  return encodeFields(name, message.slice(0, MAX_TEXT / 10), {})
}

/** Characters. */
const MAX_TEXT = 50_000

function encodeFields(name: string, message: string, fields: unknown): string {
  return encodeValue({ name, message, fields })
}

/** Equal to the first one but for its class: TerminalError, as which it was kept. A field `__proto__` is one like any other. */
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
