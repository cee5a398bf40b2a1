import * as types from 'node:util/types'

/** Whether the value is an object with members: neither a list nor null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The kind of a value, for errors. Errors are logged, so the value itself is never shown. */
export function kindOf(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return value === '' ? 'an empty text' : 'a text'
    case 'number':
      return Number.isFinite(value) ? 'a number' : String(value)
    case 'object':
      return value === null ? 'null' : kindOfObject(value)
    default:
      return `a ${typeof value}`
  }
}

function kindOfObject(value: object): string {
  if (isPromiseLike(value)) return 'a Promise (is an await missing?)'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return 'bytes'
  if (isPlain(value)) return Object.keys(value).length === 0 ? 'an empty object' : 'an object'
  const tag = Object.prototype.toString.call(value).slice(8, -1)
  if (tag !== 'Object') return /^[AEIOU]/.test(tag) ? `an ${tag}` : `a ${tag}`
  const { name } = value.constructor
  return name === '' ? 'an object of a class' : `an object of class ${name}`
}

export function isPromiseLike(value: object): boolean {
  return types.isPromise(value) || ('then' in value && typeof value.then === 'function')
}

/**
 * Whether the object is not an instance of a class. An object of another realm (a vm, a test runner) has a different
 * Object.prototype, whose own prototype is null.
 */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Errors, regular expressions, responses and objects with private fields: their data are not in own properties. */
export function isOpaque(value: object): boolean {
  if (types.isNativeError(value)) return true
  if (
    Array.isArray(value) ||
    types.isBoxedPrimitive(value) ||
    isPlain(value) ||
    isReadable(value)
  ) {
    return false
  }
  return Object.keys(value).length === 0
}

/** Whether the object's data can be read in another way. */
function isReadable(value: object): boolean {
  const known = types.isDate(value) || types.isMap(value) || types.isSet(value)
  return known || ArrayBuffer.isView(value) || hasJson(value)
}

export function hasJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}
