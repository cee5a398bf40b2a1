/**
 * A value as one word of a POSIX shell, so that a command that is printed can be pasted: ids and names come from senders, and
 * `x; rm -r ~` must stay an id.
 */
export function shellWord(value: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(value)
    ? value
    : `'${value.replaceAll("'", `'\\''`)}'`
}

/** The value of an option: one that begins with a dash would be read as an option of its own. */
export function optionWord(option: string, value: string): string {
  return value.startsWith('-') ? `${option}=${shellWord(value)}` : `${option} ${shellWord(value)}`
}

/** What comes by its place. */
export function positionalWords(...values: readonly string[]): string {
  const words = values.map(shellWord).join(' ')
  return values.some((value) => value.startsWith('-')) ? `-- ${words}` : words
}
