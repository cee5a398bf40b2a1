import { ConfigError } from '../errors.ts'
import { tokenKey } from '../lock/token.ts'

/** Amazon DynamoDB quotas: partition key values. Bytes. */
const MAX_PK_BYTES = 2_048

/**
 * Where a key's token stands; undefined when the key is too long, or has half a character. Scope and tenant are escaped, so
 * that no key of one can reach into another: `a/b` + `c` and `a` + `b/c` differ.
 */
export function keyOfToken(
  scope: string,
  tenant: string | undefined,
  key: string,
): string | undefined {
  const owner = tenant === undefined ? '' : `@${encodeURIComponent(tenant)}`
  return short(tokenKey(encodeURIComponent(scope) + owner, key).pk)
}

export function keyOfEvent(scope: string, key: string): string | undefined {
  return short(`once#${encodeURIComponent(scope)}/${key}`)
}

/** In the table all lone surrogates would be the same, and so would their keys. */
function short(pk: string): string | undefined {
  return Buffer.byteLength(pk) <= MAX_PK_BYTES && pk.isWellFormed() ? pk : undefined
}

export function checkScope(where: string, scope: unknown): void {
  if (typeof scope === 'string' && scope !== '') return
  throw new ConfigError(`${where}: scope: expected a text, got ${JSON.stringify(scope)}`)
}

/** For error messages: a key that was refused is not quoted, it may be the customer's. */
export function describeKey(key: unknown): string {
  if (typeof key !== 'string') return key === null ? 'null' : typeof key
  if (!key.isWellFormed()) return 'a text with half a character (a lone surrogate)'
  return key === '' ? 'an empty text' : `${Buffer.byteLength(key)} bytes`
}
