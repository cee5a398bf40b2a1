import { TerminalError } from '../base/errors.ts'
import { kindOf } from '../base/kindOf.ts'

export const STORABLE =
  'a text, a number, a bigint, a boolean, null, a Uint8Array, a Set of texts, numbers or bytes, a list or a plain object'

/**
 * The error for a value that no attribute can hold. Types exclude such values, except NaN and infinite numbers.
 * @param path path of the attribute; '' when it has none
 * @param table the table of the attribute; undefined: the framework's
 */
export function unstorable(value: unknown, path: string, table: string | undefined): TerminalError {
  const where = table === undefined ? '' : ` of table ${table}`
  return new TerminalError(
    `Attribute ${JSON.stringify(path)}${where} cannot be stored in DynamoDB: expected ${STORABLE}, got ${kindOf(value)}. Nothing was written.`,
  )
}

/** @param table undefined: the framework's table */
export function invalidWrite(wrong: string | undefined, table?: string): TerminalError | undefined {
  if (wrong === undefined) return undefined
  const where = table === undefined ? 'the framework’s table' : `table ${table}`
  return new TerminalError(
    `DynamoDB does not take what was given for ${where}: ${wrong}. Nothing was written.`,
  )
}

/** Converts the error that a value which cannot be stored throws deep inside a conversion. */
export function orTerminalError<T>(check: () => T): T | TerminalError {
  try {
    return check()
  } catch (error) {
    if (error instanceof TerminalError) return error
    throw error
  }
}
