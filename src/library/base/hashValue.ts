import { type Hash, createHash } from 'node:crypto'
import { hasJson, isPlain } from './kindOf.ts'

/** A number as the JSON text has it. As parsed numbers, 9007199254740992 and 9007199254740993 would be equal. */
export class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }
}

/** The value holds something whose content cannot be compared, such as a promise or a client. */
export class NotComparableError extends Error {
  override readonly name = 'NotComparableError'
}

/** The most parts of one value. A hostile JSON text of 5 MB has millions of parts, and comparing them would take seconds. */
const MOST_PARTS = 100_000

/**
 * The SHA-256 of a value in hex, equal for equal values whatever the order of their fields. Each part is prefixed by its kind and
 * length, so `['a', 'bc']` and `['ab', 'c']` differ, and so do `1` and `'1'`.
 * @param from `'parsed'`: of a JSON text that is no longer there, in which a parser has rounded large numbers
 * @throws NotComparableError naming the path
 */
export function hashValue(value: unknown, from?: 'parsed'): string {
  const sink = hashing(createHash('sha256'))
  write(value, '$', { ...walkWith(sink.put), mayBeRounded: from === 'parsed' })
  return sink.digest()
}

/** @throws NotComparableError naming the path */
export function checkComparable(value: unknown): void {
  write(
    value,
    '$',
    walkWith(() => {}),
  )
}

function walkWith(put: Walk['put']): Walk {
  return { put, within: new Set(), parts: { left: MOST_PARTS }, mayBeRounded: false }
}

interface Walk {
  readonly put: (part: string) => void
  /** The objects that enclose the current one, to find cycles. */
  readonly within: Set<object>
  readonly parts: { left: number }
  /** Whether a parser may have rounded other integers to one beyond 2^53. */
  readonly mayBeRounded: boolean
}

function write(value: unknown, path: string, walk: Walk): void {
  walk.parts.left -= 1
  if (walk.parts.left < 0) throw new NotComparableError(`it has more than ${MOST_PARTS} parts`)
  switch (typeof value) {
    case 'string':
      return walk.put(tagged('S', value))
    case 'number':
      if (walk.mayBeRounded && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
        throw new NotComparableError(`at ${path} there is a number that a parser has rounded`)
      }
      return walk.put(tagged('N', Object.is(value, -0) ? '-0' : String(value)))
    case 'bigint':
      return walk.put(tagged('I', String(value)))
    case 'boolean':
    case 'undefined':
      return walk.put(tagged('X', String(value)))
    case 'object':
      return value === null ? walk.put(tagged('X', 'null')) : writeGuarded(value, path, walk)
    default:
      throw new NotComparableError(`at ${path} there is a ${typeof value}`)
  }
}

function writeGuarded(value: object, path: string, walk: Walk): void {
  if (walk.within.has(value)) throw new NotComparableError(`at ${path} it contains itself`)
  walk.within.add(value)
  writeObject(value, path, walk)
  walk.within.delete(value)
}

function writeObject(value: object, path: string, walk: Walk): void {
  if (value instanceof JsonNumber) return walk.put(tagged('N', value.source))
  if (value instanceof Date) return walk.put(tagged('D', String(value.getTime())))
  if (value instanceof Uint8Array) {
    return walk.put(tagged('B', Buffer.from(value).toString('base64')))
  }
  if (Array.isArray(value)) {
    walk.put(`[${value.length}:`)
    for (const [index, each] of value.entries()) write(each, `${path}[${index}]`, walk)
    return
  }
  if (value instanceof Map) return writeSorted('M', [...value], path, walk)
  if (value instanceof Set) return writeSorted('T', [...value], path, walk)
  if (hasJson(value)) return write(value.toJSON(), path, walk)
  if (!isPlain(value)) {
    throw new NotComparableError(`at ${path} there is a ${kindOf(value)}`)
  }
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  walk.put(`{${fields.length}:`)
  for (const [name, each] of fields) {
    walk.put(tagged('S', name))
    write(each, `${path}.${name}`, walk)
  }
}

/** Maps and sets compare equal whatever their insertion order. */
function writeSorted(tag: string, members: readonly unknown[], path: string, walk: Walk): void {
  const texts = members.map((member) => {
    let text = ''
    const put = (part: string): void => {
      text += part
    }
    write(member, path, { ...walk, put })
    return text
  })
  walk.put(`${tag}${texts.length}:`)
  for (const text of texts.toSorted()) walk.put(text)
}

function tagged(tag: string, text: string): string {
  const safe = wellFormed(text)
  return safe === text
    ? // @protects different data never have one hash
      // @without `${tag}${text}` @tests test/call
      `${tag}${text.length}:${text}`
    : `J${safe.length}:${safe}`
}

/** Lone surrogates are escaped: encoded as bytes they would all be the same. Only an escaped text begins with a quote. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : JSON.stringify(text)
}

function kindOf(value: object): string {
  const { constructor } = value
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'object'
}

/** Characters that are collected for one update of the hash: an update for each small part would cost more than the hashing. */
const CHUNK = 65_536

function hashing(sum: Hash): { put(part: string): void; digest(): string } {
  let pending = ''
  return {
    put(part) {
      pending += part
      if (pending.length < CHUNK) return
      sum.update(pending)
      pending = ''
    },
    digest: () => sum.update(pending).digest('hex'),
  }
}
