/** AWS knows who asks, and does not allow it: what would have been told stays unseen, the rest is looked at all the same. */
export function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && /^(AccessDenied|AuthorizationError)/.test(error.name)
}
