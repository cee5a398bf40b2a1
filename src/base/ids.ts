import { hash } from 'node:crypto'
import { decodeTime } from 'ulid'

const NO_VALUE = /undefined|\[object |(?<![A-Za-z])(?:null|NaN|Invalid Date)(?![A-Za-z])/

/**
 * What a text shows of a value that was missing when it was made, as `order-undefined` does: all requests without that value would
 * share one id, and all but the first would be dropped. undefined: nothing.
 */
export function missingIn(text: string): string | undefined {
  return NO_VALUE.exec(text)?.[0]
}

/**
 * The same parts give the same id in every attempt, so that a consumer recognises a message that is sent again. Parts are
 * length-prefixed, so that ('a', 'bc') and ('ab', 'c') differ. 43 characters of base64url.
 */
export function stableId(...parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'base64url')
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
