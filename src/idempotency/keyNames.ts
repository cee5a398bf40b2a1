import { ConfigError } from '../errors.ts'

/** Amazon DynamoDB quotas: partition key values. Bytes. */
const MAX_PK_BYTES = 2_048

/**
 * Where a key's token stands; undefined when the key is too long, or has half a character. Scope and tenant are escaped, so
 * that no key of one can reach into another: `a/b` + `c` and `a` + `b/c` differ. The tokens of records are named `lock#`: a
 * consumer and a scope of one name have nothing in common.
 */
export function tokenPk(
  scope: string,
  tenant: string | undefined,
  key: string,
): string | undefined {
  // `encodeURIComponent` throws at half a character.
  if (!scope.isWellFormed() || tenant?.isWellFormed() === false) return undefined
  const owner = tenant === undefined ? '' : `@${encodeURIComponent(tenant)}`
  return withinLimit(`key#${encodeURIComponent(scope)}${owner}/${key}`)
}

export function eventPk(scope: string, key: string): string | undefined {
  if (!scope.isWellFormed()) return undefined
  return withinLimit(`once#${encodeURIComponent(scope)}/${key}`)
}

/** In the table all lone surrogates would be the same, and so would their keys. */
function withinLimit(pk: string): string | undefined {
  return Buffer.byteLength(pk) <= MAX_PK_BYTES && pk.isWellFormed() ? pk : undefined
}

/** @param options may be left out in plain JavaScript. @throws ConfigError when there is no scope. */
export function requireScope(
  where: string,
  options: { readonly scope: string } | undefined,
): string {
  const scope: unknown = options?.scope
  checkScope(where, scope)
  return scope
}

/** @throws ConfigError: without a scope all kinds of work on one table would share their keys. */
export function checkScope(where: string, scope: unknown): asserts scope is string {
  if (typeof scope === 'string' && scope !== '' && scope.isWellFormed()) return
  throw new ConfigError(
    `${where}: scope: expected a text that names this kind of work, such as 'refunds', got ${JSON.stringify(scope) ?? 'nothing'}. ` +
      `Without it all kinds of work on one table would share their keys.`,
  )
}

/** For error messages: a key that was refused is not quoted, it may be the customer's. */
export function describeKey(key: unknown): string {
  if (typeof key !== 'string') return key === null ? 'null' : typeof key
  if (!key.isWellFormed()) return 'a text with half a character (a lone surrogate)'
  return key === '' ? 'an empty text' : `${Buffer.byteLength(key)} bytes`
}
