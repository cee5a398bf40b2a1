/**
 * AWS denies this call to these credentials. What it would have shown is reported as unchecked, and everything else is still
 * checked.
 */
export function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && /^(AccessDenied|AuthorizationError)/.test(error.name)
}
