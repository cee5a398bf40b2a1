/** SDK errors are recognised by name: two copies of a client break `instanceof`. */
export function hasName(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name
}
