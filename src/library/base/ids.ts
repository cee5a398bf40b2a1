import { hash } from 'node:crypto'
import { decodeTime } from 'ulid'

const NO_VALUE = /undefined|\[object |(?<![A-Za-z])(?:null|NaN|Invalid Date)(?![A-Za-z0-9])/

/**
 * What a text shows of a value that was missing when it was made, as `order-undefined` does: all requests without that value would
 * share one id, and all but the first would be dropped. undefined: nothing.
 * @param source what the text was made of. A word that a text in it brings is no missing value: `null@example.com` is an address.
 */
export function missingIn(text: string, source?: unknown): string | undefined {
  const found = NO_VALUE.exec(text)
  if (found === null) return undefined
  const [word] = found
  // @protects a hash that happens to spell NaN is an id
  if (isSpeltByChance(text, found.index, word.length)) return undefined
  // @protects an id that a text of the payload brings is an id
  // @without false
  if (isBrought(word, text, source)) return undefined
  // @protects an id made of a missing value is refused
  // @without undefined
  return word
}

/** Parts of a source. What is behind these is not looked at, and the word counts as a missing value. */
const MOST_LOOKED_AT = 10_000

/** Whether a whole text of the source, or of JSON in it, has the word in it and stands in the id. */
function isBrought(word: string, id: string, source: unknown): boolean {
  const left = [source]
  for (let looked = 0; left.length > 0 && looked < MOST_LOOKED_AT; looked++) {
    const next = left.pop()
    if (typeof next === 'object' && next !== null) {
      for (const [name, value] of Object.entries(next)) left.push(name, value)
    }
    if (typeof next !== 'string' || !next.includes(word)) continue
    // The bare word beside other parts proves nothing: a sender may add it anywhere.
    if (id === next || (next !== word && id.includes(next))) return true
    if (/^\s*[[{]/.test(next)) left.push(parsed(next))
  }
  return false
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * One of two million hashes in base64 spells NaN between signs, and a message under such an id must not be refused. A random text
 * changes between upper case, lower case and digits at two of three places, and one of 32 characters is a sign; an id of words
 * and numbers has its signs between these.
 */
function isSpeltByChance(text: string, index: number, length: number): boolean {
  if (length > LONGEST_BY_CHANCE) return false
  const rest = text.slice(0, index) + text.slice(index + length)
  const kinds = (rest.match(/[A-Za-z0-9]/g) ?? []).map(kindOfLetter)
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length
  const signs = rest.length - kinds.length
  return (
    kinds.length >= SHORTEST_HASH &&
    new Set(kinds).size === 3 &&
    changes >= kinds.length * 0.4 &&
    // Two of them are those beside the word.
    signs <= 2 + kinds.length / 8
  )
}

/** `null` and `NaN`; the others are too long to appear by chance. */
const LONGEST_BY_CHANCE = 4
/** Letters beside the word: 128 bits in base64 are 22. */
const SHORTEST_HASH = 14

function kindOfLetter(letter: string): 'upper' | 'lower' | 'digit' {
  if (letter >= '0' && letter <= '9') return 'digit'
  return letter >= 'a' ? 'lower' : 'upper'
}

/**
 * The same parts give the same id in every attempt, so that a consumer recognises a message that is sent again. Parts are
 * length-prefixed, so that ('a', 'bc') and ('ab', 'c') differ. 43 characters of base64url.
 */
export function stableId(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
}

/** A sort key has 1,024 bytes at most: id, name of a stage (128) and name of a call have to fit in. */
const LONGEST_IN_KEY = 256

/**
 * An id within a sort key, behind which other parts follow: the next `#` ends it, whichever characters it has. Most ids stay as
 * they are.
 */
export function idInKey(id: string): string {
  // @protects the id of one request cannot spell the key of another
  // @without id @tests test/claim
  const escaped = id.replaceAll(/[%#]/g, encodeURIComponent)
  // In no other id two of these signs follow each other.
  return escaped.length > LONGEST_IN_KEY ? HASHED + stableId(id) : escaped
}

const HASHED = '%%'
const LONGEST_NAME_IN_KEY = 512

/** A name at the end of a sort key. One that is too long is hashed, because its item could never be stored. */
export function nameInKey(name: string): string {
  const fits = Buffer.byteLength(name) <= LONGEST_NAME_IN_KEY && !name.startsWith(HASHED)
  return fits ? name : HASHED + stableId(name)
}

const LENGTH = 26

/** When an id that begins with one of `sortableId` was made, epoch milliseconds; undefined: it is another kind of id. */
export function sortableTime(id: string): number | undefined {
  try {
    return decodeTime(id.slice(0, LENGTH))
  } catch {
    return undefined
  }
}
