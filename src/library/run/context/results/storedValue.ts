import { TerminalError } from '../../../base/errors.ts'
import { hasJson, isPlain } from '../../../base/kindOf.ts'

/**
 * Results outlive the process that made them, so they are read back exactly as they were written: as JSON, with the values that
 * JSON would lose (undefined, NaN, bigint, Date, Map, Set, bytes) under the tag `$lineclear`. Class instances become plain
 * objects.
 */
const TAG = '$lineclear'

export function encodeValue(value: unknown): string {
  return JSON.stringify(pack(value))
}

export function decodeValue(text: string): unknown {
  return unpack(JSON.parse(text))
}

function pack(value: unknown): unknown {
  switch (typeof value) {
    case 'undefined':
    case 'function':
    case 'symbol':
      return { [TAG]: 'undefined' }
    case 'bigint':
      return { [TAG]: 'bigint', value: String(value) }
    case 'number':
      return isJsonNumber(value)
        ? value
        : { [TAG]: 'number', value: Object.is(value, -0) ? '-0' : String(value) }
    case 'object':
      return value === null ? null : packObject(value)
    default:
      return value
  }
}

/** JSON cannot express infinities or negative zero. */
function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}

function packObject(value: object): unknown {
  if (Array.isArray(value)) return value.map(pack)
  if (value instanceof Date) return { [TAG]: 'date', value: String(value.getTime()) }
  if (value instanceof Map) return { [TAG]: 'map', value: [...value].map(pack) }
  if (value instanceof Set) return { [TAG]: 'set', value: [...value].map(pack) }
  if (value instanceof Uint8Array) {
    return { [TAG]: 'bytes', value: Buffer.from(value).toString('base64') }
  }
  const entries = Object.entries(value).map(([name, each]) => [name, pack(each)] as const)
  const packed = Object.fromEntries(entries)
  return TAG in packed ? { [TAG]: 'object', value: entries } : packed
}

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack)
  if (typeof value !== 'object' || value === null) return value
  if (TAG in value) return untag(value[TAG], 'value' in value ? value.value : undefined)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpack(each)]))
}

function untag(tag: unknown, value: unknown): unknown {
  switch (tag) {
    case 'bigint':
      return BigInt(String(value))
    case 'number':
      return Number(value)
    case 'date':
      return new Date(Number(value))
    case 'map':
      return new Map(listOf(value).map((entry) => unpack(entry) as [unknown, unknown]))
    case 'set':
      return new Set(listOf(value).map(unpack))
    case 'bytes':
      return new Uint8Array(Buffer.from(String(value), 'base64'))
    case 'object':
      return Object.fromEntries(listOf(value).map((entry) => unpack(entry) as [string, unknown]))
    default:
      return undefined
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** A value that can be stored and read back unchanged. */
interface PlainData {
  readonly value: unknown
  /** Paths of class instances that were converted into plain objects, such as `$.items[0].price`. */
  readonly converted: readonly string[]
}

/**
 * Class instances become what JSON.stringify would make of them, so that a replay looks like the first answer did on the wire.
 * Everything that can be stored exactly (dates, maps, sets, bytes, bigint, undefined, NaN) is left as it is.
 * @throws TerminalError when the value contains itself.
 */
export function toPlainData(value: unknown): PlainData {
  const converted: string[] = []
  const within = new Set<object>()

  const walk = (each: unknown, path: string): unknown => {
    if (typeof each !== 'object' || each === null || isExact(each)) return each
    if (within.has(each)) throw containsItself(path)
    within.add(each)
    const plain = walkInto(each, path)
    within.delete(each)
    return plain
  }
  const walkInto = (each: object, path: string): unknown => {
    if (Array.isArray(each)) return each.map((entry, index) => walk(entry, `${path}[${index}]`))
    if (each instanceof Map) {
      return new Map([...each].map(([key, entry]) => [walk(key, path), walk(entry, path)]))
    }
    if (each instanceof Set) return new Set([...each].map((entry) => walk(entry, path)))
    if (!isPlain(each)) converted.push(path)
    if (hasJson(each)) return walk(each.toJSON(), path)
    const entries = Object.entries(each)
    return Object.fromEntries(
      entries.map(([name, entry]) => [name, walk(entry, `${path}.${name}`)]),
    )
  }
  return { value: walk(value, '$'), converted }
}

function isExact(value: object): boolean {
  return value instanceof Date || value instanceof Uint8Array
}

function containsItself(path: string): TerminalError {
  return new TerminalError(`at ${path} the value contains itself, so it cannot be stored as text`)
}
