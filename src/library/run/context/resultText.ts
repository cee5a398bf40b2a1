import { messageOf, TerminalError } from '../../base/errors.ts'
import { isPromiseLike, isOpaque, kindOf } from '../../base/kindOf.ts'
import { toPlainData, encodeValue } from './results/storedValue.ts'

type ResultText =
  | { readonly kind: 'text'; readonly text: string }
  /** The result contains nothing that can be stored: it is an error, a response or a function. */
  | { readonly kind: 'no data'; readonly why: string }

/** A result in its stored form. Never throws, because the call was made, whatever it returned. */
export function resultText(result: unknown): ResultText {
  try {
    const wrong = noData(result, '$', new Set())
    if (wrong !== undefined) return { kind: 'no data', why: wrong }
    return { kind: 'text', text: encodeValue(withoutMethods(toPlainData(result).value)) }
  } catch (error) {
    return { kind: 'no data', why: error instanceof RangeError ? TOO_DEEP : textOf(error) }
  }
}

const TOO_DEEP = 'it is nested too deeply'

/** Leaves methods out, as JSON does, except in a list, where a gap would move the other elements. */
function withoutMethods(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMethods)
  if (typeof value !== 'object' || value === null || !isRecord(value)) return value
  const data = Object.entries(value).filter(([, each]) => !isMethod(each))
  return Object.fromEntries(data.map(([name, each]) => [name, withoutMethods(each)]))
}

function isRecord(value: object): boolean {
  return !(
    value instanceof Date ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Uint8Array
  )
}

function isMethod(value: unknown): boolean {
  return typeof value === 'function' || typeof value === 'symbol'
}

function noData(value: unknown, path: string, within: Set<object>): string | undefined {
  if (isMethod(value)) return `${path} is ${kindOf(value)}`
  if (typeof value !== 'object' || value === null || within.has(value)) return undefined
  if (isPromiseLike(value) || isOpaque(value)) return `${path} is ${kindOf(value)}`
  within.add(value)
  for (const [name, each] of membersOf(value)) {
    const wrong = noData(each, `${path}${name}`, within)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function membersOf(value: object): readonly (readonly [string, unknown])[] {
  if ('toJSON' in value && typeof value.toJSON === 'function') return []
  if (Array.isArray(value)) return value.map((each: unknown, at) => [`[${at}]`, each] as const)
  if (value instanceof Set) return [...value].map((each: unknown) => ['', each] as const)
  if (value instanceof Map) return [...value.values()].map((each: unknown) => ['', each] as const)
  if (!isRecord(value)) return []
  const entries: readonly [string, unknown][] = Object.entries(value)
  return entries.filter(([, each]) => !isMethod(each)).map(([name, each]) => [`.${name}`, each])
}

function textOf(error: unknown): string {
  return error instanceof TerminalError ? error.message : messageOf(error)
}
