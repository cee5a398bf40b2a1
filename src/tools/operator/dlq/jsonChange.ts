import { isObject } from '../../../base/kindOf.ts'

/** Why a value cannot be set. */
interface NotSet {
  readonly because: string
}

/**
 * JSON with one value replaced, or added to an object.
 * @param path `total`, `lines.0.price`; or a JSON pointer (RFC 6901), `/lines/0/price`, for names with dots; `.`: the whole
 */
export function setInJson(text: string, path: string, value: unknown): string | NotSet {
  const root = parse(text)
  if (root === undefined) return { because: 'the payload is not JSON' }
  const inexact = inexactNumber(text)
  if (inexact !== undefined) {
    return { because: `the payload has the number ${inexact}, which would lose digits` }
  }
  if (path === '.') return JSON.stringify(value)
  const names = namesOf(path)
  const last = names.pop()
  if (last === undefined) return { because: 'the path is empty' }
  let parent: unknown = root.value
  for (const name of names) parent = memberOf(parent, name)
  if (Array.isArray(parent)) {
    if (memberOf(parent, last) === undefined) return { because: `the list has no element ${last}` }
    parent[Number(last)] = value
  } else if (isObject(parent)) {
    Object.defineProperty(parent, last, {
      value,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  } else {
    return { because: `the payload has no ${path}` }
  }
  return JSON.stringify(root.value)
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function namesOf(path: string): string[] {
  if (!path.startsWith('/')) return path === '' ? [] : path.split('.')
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function memberOf(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return /^\d+$/.test(name) ? parent[Number(name)] : undefined
  return isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
}

/** A number that another program has written, and that this one would write with other digits. */
function inexactNumber(text: string): string | undefined {
  const numbers = text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '')
    .match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)
  return numbers?.find((number) => digitsOf(number) !== digitsOf(String(Number(number))))
}

/** The digits that count: `1.50` and `1.5` are the same number, and so are `1e3` and `1000`. */
function digitsOf(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e')
  const digits = mantissa.replaceAll(/[-.]/g, '').replaceAll(/^0+/g, '')
  return digits.replaceAll(/0+$/g, '')
}

const MOST_CHANGES = 20
const LONGEST = 400

/** What differs between two payloads: by path if both are JSON, otherwise by line. */
export function changesBetween(before: string, after: string): readonly string[] {
  const [one, other] = [parse(before), parse(after)]
  const changes =
    one !== undefined && other !== undefined
      ? [...jsonChanges('', one.value, other.value)]
      : lineChanges(before, after)
  if (changes.length === 0 && before !== after) return ['only spaces, or the order of names']
  const shown = changes.slice(0, MOST_CHANGES).map((line) => cut(line))
  const more = changes.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

function* jsonChanges(path: string, before: unknown, after: unknown): Generator<string> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const names = bothNames(before, after)
  if (names === undefined) {
    yield `${path === '' ? 'the payload' : path}: ${valueText(before)} → ${valueText(after)}`
    return
  }
  for (const name of names) {
    const at = path === '' ? name : `${path}.${name}`
    yield* jsonChanges(at, memberOf(before, name), memberOf(after, name))
  }
}

/** Of two objects, or of two lists. */
function bothNames(before: unknown, after: unknown): ReadonlySet<string> | undefined {
  const lists = Array.isArray(before) && Array.isArray(after)
  if (!lists && !(isObject(before) && isObject(after))) return undefined
  return new Set([...Object.keys(before as object), ...Object.keys(after as object)])
}

function valueText(value: unknown): string {
  return value === undefined ? 'nothing' : cut(JSON.stringify(value), LONGEST / 2)
}

function lineChanges(before: string, after: string): readonly string[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const removed = old.filter((line) => !now.includes(line)).map((line) => `- ${line}`)
  return [...removed, ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)]
}

function cut(text: string, most: number = LONGEST): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
