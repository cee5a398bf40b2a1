import { messageOf } from '../base/errors.ts'
import { missingIn } from '../base/ids.ts'
import { isPlain } from '../base/kindOf.ts'
import { checkComparable, NotComparableError } from './canonical.ts'
import { canonicalText, hashParts } from './fingerprint.ts'

/** One part of a key. null, undefined and `''` count as missing: every caller who left the part out would share one key. */
export type KeyPart = string | number | bigint | boolean | null | undefined
/** What makes two calls the same call: one part, or several, all of which must be there. */
export type IdempotencyKey = KeyPart | readonly KeyPart[]

export type KeyReading =
  | { readonly kind: 'key'; readonly key: string }
  /** `because`: what the key function or expression threw. It is only logged, and never sent to HTTP clients. */
  | { readonly kind: 'missing'; readonly why: string; readonly because?: string }
  /** Different values would give the same key: a mistake in the options, not in the call. */
  | { readonly kind: 'not comparable'; readonly why: string }

/** @param select returns what the key function or expression returned, or throws what it threw */
export function readKey(select: () => unknown, form: 'sha256' | 'plain'): KeyReading {
  try {
    const selected = select()
    const parts: readonly unknown[] = Array.isArray(selected) ? selected : [selected]
    const missing = parts.findIndex(isMissing)
    if (parts.length === 0) return { kind: 'missing', why: 'it has no parts' }
    if (missing >= 0) {
      return {
        kind: 'missing',
        why:
          parts.length === 1
            ? 'it is missing'
            : `part ${missing + 1} of ${parts.length} is missing`,
      }
    }
    checkComparable(parts)
    return { kind: 'key', key: form === 'sha256' ? hashParts(parts) : plainKey(parts) }
  } catch (error) {
    if (error instanceof NotComparableError) return { kind: 'not comparable', why: error.message }
    return { kind: 'missing', why: 'it cannot be read', because: reasonOf(error) }
  }
}

/** Only the name of a SyntaxError, because its message quotes the text that was parsed, such as the body. */
export function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? error.name : messageOf(error)
}

function isMissing(part: unknown): boolean {
  if (part === null || part === undefined || part === '' || Number.isNaN(part)) return true
  if (typeof part === 'string') return missingIn(part) !== undefined
  if (typeof part === 'function' || typeof part === 'symbol') return true
  if (part instanceof Date) return Number.isNaN(part.getTime())
  if (Array.isArray(part)) return part.every(isMissing)
  return typeof part === 'object' && isPlain(part) && Object.values(part).every(isMissing)
}

/** A single part is used as it is; several are escaped and joined by slashes. */
function plainKey(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : canonicalText(part)))
  return texts.length === 1 ? texts.join('') : texts.map(escaped).join('/')
}

/** A lone surrogate cannot be escaped. `tokenPk` then refuses the whole key. */
function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text
}
