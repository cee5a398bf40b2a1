/** The command was given wrong: the message names the option, what was expected and what came. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
