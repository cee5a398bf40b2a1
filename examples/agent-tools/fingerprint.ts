import { createHash } from 'node:crypto'

/** The same for the same arguments, or for none, in whatever order a model writes their names. 128 bits. */
export function fingerprint(args: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify(args ?? null, inOrder))
  return digest.digest('base64url').slice(0, 22)
}

function inOrder(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
