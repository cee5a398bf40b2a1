import { ConfigError } from '../errors.ts'
import { isPlainObject } from '../results/plain.ts'

/**
 * The value as JSON. What JSON would change without a word (a promise, a map, NaN, bytes) is refused: its receiver would act
 * on something else than what was sent. Fields that are undefined are left out, and dates become texts, as everywhere in JSON.
 * @throws ConfigError naming the path
 */
export function jsonText(where: string, value: unknown): string {
  const within = new Set<object>()
  const refuse = (path: string, what: string): ConfigError =>
    new ConfigError(
      `${where}: expected a JSON value; at ${path} there is ${what}, which JSON does not keep. Nothing was stored or sent.`,
    )
  const check = (each: unknown, path: string): void => {
    const lost = lostIn(each)
    if (lost !== undefined) throw refuse(path, lost)
    if (typeof each !== 'object' || each === null) return
    if (within.has(each)) throw refuse(path, 'the value itself')
    within.add(each)
    if (hasJson(each)) check(each.toJSON(), path)
    else for (const [name, field] of fieldsOf(each)) check(field, `${path}${name}`)
    within.delete(each)
  }
  if (value === undefined) throw refuse('$', 'nothing (undefined)')
  check(value, '$')
  return JSON.stringify(value)
}

function fieldsOf(value: object): readonly (readonly [name: string, field: unknown])[] {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    return list.map((each, index) => [`[${index}]`, each] as const)
  }
  const entries: readonly [string, unknown][] = Object.entries(value)
  return entries
    .filter(([, field]) => field !== undefined)
    .map(([name, field]) => [`.${name}`, field] as const)
}

/** What there is, in words; undefined: JSON keeps it. */
function lostIn(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`
    case 'number':
      return Number.isFinite(value) ? undefined : String(value)
    case 'object':
      return value === null ? undefined : lostObject(value)
    default:
      return undefined
  }
}

function lostObject(value: object): string | undefined {
  if (value instanceof Promise) return 'a promise (is an await missing?)'
  if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid date'
  if (value instanceof Map || value instanceof Set) return 'a map or a set'
  if (ArrayBuffer.isView(value)) return 'bytes'
  if (Array.isArray(value) && value.includes(undefined)) return 'an undefined entry'
  if (hasJson(value) || Array.isArray(value) || isPlainObject(value)) return undefined
  return Object.keys(value).length === 0 ? 'an object without fields of its own' : undefined
}

function hasJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}
