import * as types from 'node:util/types'
import { isPromiseLike, isOpaque, kindOf } from '../../../base/kindOf.ts'
import { ConfigError } from '../../../base/errors.ts'
import { toMessageJson } from './json.ts'

/**
 * A payload as JSON that its receiver reads back as the same data. Values that JSON would change silently are refused: those
 * that become `{}` (Map, Set, an error, a missing `await`), `null` (NaN, infinities, undefined in a list) or a list of numbers
 * (bytes), and texts with a lone surrogate. As usual in JSON, an optional field that is `undefined` is left out, and an object
 * with `toJSON`, such as a Date, is what that gives.
 * @param call what the error names, such as `ctx.send('https://…')`
 * @throws ConfigError naming the path, such as `$.items[0].price`; never a value
 */
export function payloadText(call: string, payload: unknown): string {
  const paths = new Map<unknown, string>()
  const refuse = (path: string, what: string): ConfigError =>
    new ConfigError(`${call}: the payload at ${path} ${what}. Nothing was sent.`)

  function check(this: unknown, name: string, value: unknown): unknown {
    const path = pathOf(paths.get(this), name, this)
    const wrong =
      problemWith(this, name, value) ?? (holds(paths.get(value), path) ? CIRCULAR : undefined)
    if (wrong !== undefined) throw refuse(path, wrong)
    if (!name.isWellFormed()) throw refuse(paths.get(this) ?? '$', `has a name ${LONE_SURROGATE}`)
    if (typeof value === 'object' && value !== null) paths.set(value, path)
    return value
  }

  if (payload === undefined) throw refuse('$', 'is undefined: expected a JSON value')
  try {
    return toMessageJson(payload, check)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const why = error instanceof RangeError ? 'is nested too deeply' : 'has a toJSON that throws'
    throw new ConfigError(`${call}: the payload ${why}. Nothing was sent.`, { cause: error })
  }
}

const LONE_SURROGATE = 'with half a surrogate pair, which no UTF-8 text can hold'

const CIRCULAR = 'contains itself'

/** One object may occur several times, but not inside itself. */
function holds(outer: string | undefined, inner: string): boolean {
  return outer !== undefined && (inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`))
}

function pathOf(holder: string | undefined, name: string, within: unknown): string {
  if (holder === undefined) return '$'
  if (Array.isArray(within)) return `${holder}[${name}]`
  return /^\w+$/.test(name)
    ? `${holder}.${name}`
    : `${holder}[${JSON.stringify(name.slice(0, 80))}]`
}

/** JSON has already called `toJSON`; the value before that is in the holder. */
function problemWith(holder: unknown, name: string, value: unknown): string | undefined {
  const given: unknown = Reflect.get(Object(holder), name)
  const before = typeof given === 'object' && given !== null ? problemAsObject(given) : undefined
  return (
    before ??
    problemAsJson(value) ??
    (value === undefined ? problemWithUndefined(holder, given) : undefined)
  )
}

/** An optional field may be undefined; an element of a list, and the payload itself, may not. */
function problemWithUndefined(holder: unknown, given: unknown): string | undefined {
  if (given !== undefined) return 'has a toJSON that gives nothing'
  return Array.isArray(holder) ? 'is undefined, and JSON would make it null' : undefined
}

function problemAsJson(value: unknown): string | undefined {
  switch (typeof value) {
    case 'bigint':
      return 'is a bigint, which JSON does not have: send a text, or a number below 2^53'
    case 'function':
    case 'symbol':
      return `is a ${typeof value}, which JSON leaves out`
    case 'number':
      return Number.isFinite(value) ? undefined : `is ${value}, which JSON makes null`
    case 'string':
      return value.isWellFormed() ? undefined : `is a text ${LONE_SURROGATE}`
    case 'object':
      return value === null ? undefined : problemAsObject(value)
    default:
      return undefined
  }
}

function problemAsObject(value: object): string | undefined {
  if (isPromiseLike(value)) return 'is a Promise: is an await missing?'
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
    return "is bytes, which JSON makes a list of numbers: send a text, such as Buffer.from(bytes).toString('base64')"
  }
  if (types.isDate(value)) {
    return Number.isNaN(value.getTime()) ? 'is an invalid Date, which JSON makes null' : undefined
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined
  if (types.isMap(value) || types.isSet(value)) {
    return `is ${kindOf(value)}, which JSON makes {}: send a list, such as [...items]`
  }
  return isOpaque(value)
    ? `is ${kindOf(value)}, of which JSON keeps nothing that matters`
    : undefined
}
