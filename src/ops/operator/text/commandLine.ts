/**
 * A value as one word of a POSIX shell, so that a printed command can be pasted. Ids and names come from senders, and `x; rm -r
 * ~` must remain an id.
 */
export function shellWord(value: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(value)
    ? value
    : `'${value.replaceAll("'", `'\\''`)}'`
}

/** An option with its value; a value that begins with a dash needs `=`, or it would be read as an option. */
export function optionWord(option: string, value: string): string {
  return value.startsWith('-') ? `${option}=${shellWord(value)}` : `${option} ${shellWord(value)}`
}

/** Positional arguments; `--` goes before them if one begins with a dash. */
export function positionalWords(...values: readonly string[]): string {
  const words = values.map(shellWord).join(' ')
  return values.some((value) => value.startsWith('-')) ? `-- ${words}` : words
}
