/** Wrong arguments: says what was expected and what came. Ends with exit code 2. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
