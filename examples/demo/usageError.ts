/** A wrong command line: the message names the option, what was expected and what it got. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
