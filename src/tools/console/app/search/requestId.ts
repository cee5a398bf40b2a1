/**
 * The id that `explain` accepts, of a partition key: `flow#returns/return-62` → `returns/return-62`. What has no such prefix is an
 * id already.
 */
export function requestId(pk: string): string {
  return pk.replace(/^[a-z]+#(?=[^#]*\/)/, '')
}
