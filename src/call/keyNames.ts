import { missingIn } from '../base/ids.ts'
import { ConfigError } from '../base/errors.ts'

/** The size limit of a partition key value in bytes (Amazon DynamoDB quotas). */
const MAX_PK_BYTES = 2_048

/**
 * The partition key of an idempotency key's token. Undefined: it is too long or contains a lone surrogate. Scope and tenant are
 * escaped, so that `a/b` + `c` and `a` + `b/c` differ. Tokens of records start with `lock#`, so a consumer and a scope of the
 * same name do not collide.
 */
export function tokenPk(
  scope: string,
  tenant: string | undefined,
  key: string,
): string | undefined {
  // `encodeURIComponent` throws on a lone surrogate.
  if (!scope.isWellFormed() || tenant?.isWellFormed() === false) return undefined
  const owner = tenant === undefined ? '' : `@${encodeURIComponent(tenant)}`
  return withinLimit(`key#${encodeURIComponent(scope)}${owner}/${key}`)
}

export function eventPk(scope: string, key: string): string | undefined {
  if (!scope.isWellFormed()) return undefined
  return withinLimit(`once#${encodeURIComponent(scope)}/${key}`)
}

/** Lone surrogates are refused, because in the table they would all become the same character. */
function withinLimit(pk: string): string | undefined {
  return Buffer.byteLength(pk) <= MAX_PK_BYTES && pk.isWellFormed() ? pk : undefined
}

/**
 * @param options may be missing in plain JavaScript
 * @throws ConfigError when there is no scope
 */
export function requireScope(
  where: string,
  options: { readonly scope: string } | undefined,
): string {
  const scope: unknown = options?.scope
  checkScope(where, scope)
  return scope
}

/** @throws ConfigError naming what was given */
export function checkScope(where: string, scope: unknown): asserts scope is string {
  if (typeof scope === 'string' && scope !== '' && scope.isWellFormed()) return
  throw new ConfigError(
    `${where}: scope: expected a text that names this kind of work, such as 'refunds', got ${JSON.stringify(scope) ?? 'nothing'}. ` +
      `Without it all kinds of work on one table would share their keys.`,
  )
}

/** Describes a key for error messages. A refused key is not quoted, because it may hold personal data. */
export function describeKey(key: unknown): string {
  if (typeof key !== 'string') return key === null ? 'null' : typeof key
  if (!key.isWellFormed()) return 'a text with half a character (a lone surrogate)'
  if (missingIn(key) !== undefined)
    return `a text with '${missingIn(key)}' in it: a value is missing`
  return key === '' ? 'an empty text' : `${Buffer.byteLength(key)} bytes`
}
