import { TerminalError } from '../../base/errors.ts'
import { isPlain } from '../../base/kindOf.ts'

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

function hasJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

function isExact(value: object): boolean {
  return value instanceof Date || value instanceof Uint8Array
}

function containsItself(path: string): TerminalError {
  return new TerminalError(`at ${path} the value contains itself, so it cannot be stored as text`)
}
