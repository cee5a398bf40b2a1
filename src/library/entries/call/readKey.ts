import { isSyntaxError, messageOf } from '../../base/errors.ts'
import { missingIn } from '../../base/ids.ts'
import { isPlain } from '../../base/kindOf.ts'
import { checkComparable, NotComparableError } from '../../base/hashValue.ts'
import { canonicalText, hashParts } from './canonical.ts'
import { headerView } from './http/httpEvent.ts'

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

/**
 * @param select returns what the key function or expression returned, or throws what it threw
 * @param source what it was made of: see missingIn
 */
export function readKey(
  select: () => unknown,
  form: 'sha256' | 'plain',
  source: unknown,
): KeyReading {
  try {
    const selected = select()
    const parts: readonly unknown[] = Array.isArray(selected) ? selected : [selected]
    const missing = parts.findIndex((part) => isMissing(part, source))
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
  return isSyntaxError(error) ? error.name : messageOf(error)
}

function isMissing(part: unknown, source: unknown): boolean {
  if (part === null || part === undefined || part === '' || Number.isNaN(part)) return true
  if (typeof part === 'string') return missingIn(part, source) !== undefined
  if (typeof part === 'function' || typeof part === 'symbol') return true
  if (part instanceof Date) return Number.isNaN(part.getTime())
  if (Array.isArray(part)) return part.every((one) => isMissing(one, source))
  return (
    typeof part === 'object' &&
    isPlain(part) &&
    Object.values(part).every((one) => isMissing(one, source))
  )
}

/** A single part stays as it is but for slashes and percent signs; several are escaped and joined by slashes. */
function plainKey(parts: readonly unknown[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : canonicalText(part)))
  const [first = '', ...others] = texts
  // @protects one part with a slash is not two parts
  // @without first
  if (others.length === 0) return first.replaceAll(/[%/]/g, encodeURIComponent)
  return texts.map(escaped).join('/')
}

/** A lone surrogate cannot be escaped. `tokenPk` then refuses the whole key. */
function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text
}

/** The size limit of a partition key value in bytes (Amazon DynamoDB quotas). */
const MAX_PK_BYTES = 2_048

/**
 * The partition key of an idempotency key's token. Undefined: it is too long or contains a lone surrogate. Name and tenant are
 * escaped, so that `a/b` + `c` and `a` + `b/c` differ. Tokens of records start with `lock#`, so a consumer and a name of the
 * same name do not collide.
 */
export function tokenPk(name: string, tenant: string | undefined, key: string): string | undefined {
  // `encodeURIComponent` throws on a lone surrogate.
  if (!name.isWellFormed() || tenant?.isWellFormed() === false) return undefined
  const owner = tenant === undefined ? '' : `@${encodeURIComponent(tenant)}`
  return withinLimit(`key#${encodeURIComponent(name)}${owner}/${key}`)
}

export function eventPk(name: string, key: string): string | undefined {
  if (!name.isWellFormed()) return undefined
  return withinLimit(`once#${encodeURIComponent(name)}/${key}`)
}

/** Lone surrogates are refused, because in the table they would all become the same character. */
function withinLimit(pk: string): string | undefined {
  return Buffer.byteLength(pk) <= MAX_PK_BYTES && pk.isWellFormed() ? pk : undefined
}

/** Describes a key for error messages. A refused key is not quoted, because it may hold personal data. */
export function describeKey(key: unknown): string {
  if (typeof key !== 'string') return key === null ? 'null' : typeof key
  if (!key.isWellFormed()) return 'a text with half a character (a lone surrogate)'
  if (missingIn(key) !== undefined)
    return `a text with '${missingIn(key)}' in it: a value is missing`
  return key === '' ? 'an empty text' : `${Buffer.byteLength(key)} bytes`
}

/** A compiled expression, such as `jmespath('body.orderId', { search })` of `lineclear/middy`: applied to the first argument. */
export interface Expression {
  readonly expression: string
  select(input: unknown): unknown
}

/** An object, not a function: as a function it would stop TypeScript from inferring the arguments of the other functions. */
export function isExpression(selector: unknown): selector is Expression {
  return typeof selector === 'object' && selector !== null && 'select' in selector
}

/** What an option such as `key` selects from the arguments of a call. */
export function applySelector<Args extends readonly unknown[], T>(
  selector: ((...args: Args) => T) | Expression,
  args: Args,
): unknown {
  return isExpression(selector) ? selector.select(headerView(args[0])) : selector(...args)
}
