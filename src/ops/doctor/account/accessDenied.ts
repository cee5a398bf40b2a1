/** AWS denies this call to these credentials: what it would have shown is reported as unchecked, the rest is still checked. */
export function isAccessDenied(error: unknown): boolean {
  return error instanceof Error && /^(AccessDenied|AuthorizationError)/.test(error.name)
}
