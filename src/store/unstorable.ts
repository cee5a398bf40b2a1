import { TerminalError } from '../errors.ts'

/**
 * For a value that no attribute can hold. TypeScript would have refused it, unless it is NaN or an infinite number.
 * @param path of the attribute; '' where it has none. @param table whose attribute it is; undefined: the framework's.
 */
export function unstorable(value: unknown, path: string, table: string | undefined): TerminalError {
  const where = table === undefined ? '' : ` of table ${table}`
  return new TerminalError(
    `Attribute ${JSON.stringify(path)}${where} cannot be stored in DynamoDB: expected a string, a finite number, a bigint, ` +
      `a boolean, null, a Uint8Array, a set of strings, of numbers or of bytes, a list or a plain object, got ${describe(value)}. ` +
      'Nothing was written.',
  )
}

/** Its kind and never the value, which may be the customer's. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (value instanceof Set) return 'a set of other or of mixed members'
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  const prototype: unknown = Object.getPrototypeOf(value)
  const made = typeof prototype === 'object' && prototype !== null ? prototype.constructor : Object
  return made === Object ? 'an object' : `an object of class ${made.name}`
}
