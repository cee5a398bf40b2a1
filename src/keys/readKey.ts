import { messageOf } from '../errors.ts'
import type { UserValue } from '../store/store.ts'
import { isMap } from '../store/value.ts'
import { canonicalText, hashParts } from './fingerprint.ts'

/** A part that is null, undefined or empty is missing: it would be the same for everybody who left it out. */
export type KeyPart = string | number | bigint | boolean | null | undefined | object
export type Key = KeyPart | readonly KeyPart[]

export type ReadKey =
  | { readonly kind: 'key'; readonly key: string }
  /** `because`: what the key function or expression threw, which is not for clients. */
  | { readonly kind: 'missing'; readonly why: string; readonly because?: string }

/** @param select what the key function or expression gives. */
export function readKey(select: () => unknown, form: 'sha256' | 'plain'): ReadKey {
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
    return { kind: 'key', key: form === 'sha256' ? hashParts(parts) : plainKey(parts) }
  } catch (error) {
    return { kind: 'missing', why: 'it cannot be read', because: reasonOf(error) }
  }
}

/** A SyntaxError quotes the text that was read, such as the body: its kind has to do. */
function reasonOf(error: unknown): string {
  return error instanceof SyntaxError ? error.name : messageOf(error)
}

function isMissing(part: unknown): boolean {
  if (part === null || part === undefined || part === '' || Number.isNaN(part)) return true
  if (typeof part === 'function' || typeof part === 'symbol') return true
  if (Array.isArray(part)) return part.every(isMissing)
  return isMap(part as UserValue) && Object.values(part).every(isMissing)
}

/** One part stands as it is; several are escaped, so that the slash between them is the only one. */
function plainKey(parts: readonly unknown[]): string {
  const texts = parts.map(textOf)
  return texts.length === 1 ? texts.join('') : texts.map(encodeURIComponent).join('/')
}

function textOf(part: unknown): string {
  return typeof part === 'string' ? part : canonicalText(part)
}
