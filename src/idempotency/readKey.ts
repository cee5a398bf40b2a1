import { messageOf } from '../errors.ts'
import { isPlain } from '../kindOf.ts'
import { checkComparable, NotComparableError } from './canonical.ts'
import { canonicalText, hashParts } from './fingerprint.ts'

/** A part that is null, undefined or empty is missing: it would be the same for everybody who left it out. */
export type KeyPart = string | number | bigint | boolean | null | undefined
export type IdempotencyKey = KeyPart | readonly KeyPart[]

export type KeyReading =
  | { readonly kind: 'key'; readonly key: string }
  /** `because`: what the key function or expression threw, which is not for clients. */
  | { readonly kind: 'missing'; readonly why: string; readonly because?: string }
  /** Two different values would be one key: a mistake of the set-up, not of the caller. */
  | { readonly kind: 'not comparable'; readonly why: string }

/** @param select what the key function or expression gives, or has thrown. */
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

/** A SyntaxError quotes the text that was read, such as the body: its kind has to do. */
export function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? error.name : messageOf(error)
}

function isMissing(part: unknown): boolean {
  if (part === null || part === undefined || part === '' || Number.isNaN(part)) return true
  if (typeof part === 'function' || typeof part === 'symbol') return true
  if (part instanceof Date) return Number.isNaN(part.getTime())
  if (Array.isArray(part)) return part.every(isMissing)
  return typeof part === 'object' && isPlain(part) && Object.values(part).every(isMissing)
}

/** One part stands as it is; several are escaped, so that the slash between them is the only one. */
function plainKey(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : canonicalText(part)))
  return texts.length === 1 ? texts.join('') : texts.map(escaped).join('/')
}

/** Half a character (a lone surrogate) cannot be escaped, and is refused with the key as a whole. */
function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text
}
