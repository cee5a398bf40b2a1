import { ConfigError, RejectedError } from '../errors.ts'
import { tokenKey } from '../lock/token.ts'

/** Amazon DynamoDB quotas: partition key values. Bytes. */
const MAX_PK_BYTES = 2_048

/**
 * Where a key's token stands. Scope and tenant are escaped, so that no key of one can reach into another: `a/b` + `c` and
 * `a` + `b/c` differ.
 * @throws RejectedError when the key is too long.
 */
export function keyOfToken(scope: string, tenant: string | undefined, key: string): string {
  const owner =
    encodeURIComponent(scope) + (tenant === undefined ? '' : `@${encodeURIComponent(tenant)}`)
  const { pk } = tokenKey(owner, key)
  if (Buffer.byteLength(pk) <= MAX_PK_BYTES) return pk
  throw new RejectedError(
    `the key has more than ${MAX_PK_BYTES} bytes with its scope: hash it, or take a shorter one; nothing was run`,
  )
}

export function checkScope(where: string, scope: unknown): void {
  if (typeof scope === 'string' && scope !== '') return
  throw new ConfigError(`${where}: scope: expected a text, got ${JSON.stringify(scope)}`)
}
