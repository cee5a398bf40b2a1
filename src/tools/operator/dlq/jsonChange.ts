interface NotSet {
  readonly because: string
}

/**
 * JSON with one value replaced, or added to an object.
 * @param path `total`, `lines.0.price`; or a JSON pointer (RFC 6901), `/lines/0/price`, for names with dots; `.`: the whole
 */
export function setInJson(text: string, path: string, value: unknown): string | NotSet {
  if (path === '.') return JSON.stringify(value)
  const root = parse(text)
  if (root === undefined) return { because: 'the payload is not JSON' }
  const inexact = inexactNumber(text)
  if (inexact !== undefined) {
    const shown = inexact.length > 40 ? `${inexact.slice(0, 40)}…` : inexact
    return { because: `the payload has the number ${shown}, which would lose digits` }
  }
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
  if (path.startsWith('/')) return pointerNames(path)
  return path === '' ? [] : path.split('.')
}

/** The names in a JSON pointer (RFC 6901). */
function pointerNames(path: string): string[] {
  const [, ...names] = path.split('/')
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** undefined: there is none. @param path a JSON pointer */
export function valueAtPointer(value: unknown, path: string): unknown {
  return pointerNames(path).reduce(memberOf, value)
}

function memberOf(parent: unknown, name: string): unknown {
  if (Array.isArray(parent)) return /^\d+$/.test(name) ? parent[Number(name)] : undefined
  return isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
}

// The page uses this file, too: `base/kindOf.ts` needs Node.js.
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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
  // A pattern would try every zero of a long number as the first of its last ones.
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** One value that differs. undefined: it is not there. */
export interface JsonChange {
  /** JSON pointer (RFC 6901). '': the whole. */
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

export function* jsonChanges(before: unknown, after: unknown, path = ''): Generator<JsonChange> {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const names = bothNames(before, after)
  if (names === undefined) yield { path, before, after }
  for (const name of names ?? []) {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    yield* jsonChanges(memberOf(before, name), memberOf(after, name), at)
  }
}

/** The members of two objects, or of two lists of one length: a list that grows or shrinks is one change. */
function bothNames(before: unknown, after: unknown): ReadonlySet<string> | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? new Set(Object.keys(before)) : undefined
  }
  if (!isObject(before) || !isObject(after)) return undefined
  return new Set([...Object.keys(before), ...Object.keys(after)])
}

const MOST_CHANGES = 20
const LONGEST = 400

/** What differs between two payloads: by path if both are JSON, otherwise by line. */
export function changesBetween(before: string, after: string): readonly string[] {
  const [one, other] = [parse(before), parse(after)]
  const changes =
    one !== undefined && other !== undefined
      ? [...jsonChanges(one.value, other.value)].map(changeLine)
      : lineChanges(before, after)
  if (changes.length === 0 && before !== after) return ['only spaces, or the order of names']
  const shown = changes.slice(0, MOST_CHANGES).map((line) => cut(line))
  const more = changes.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}

function changeLine({ path, before, after }: JsonChange): string {
  const place = path === '' ? 'the payload' : pointerNames(path).join('.')
  return `${place}: ${valueText(before)} → ${valueText(after)}`
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
