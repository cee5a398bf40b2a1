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

/** `lineclear` with its arguments, so that it can be pasted. */
export function commandLine(args: readonly string[]): string {
  const end = args.indexOf('--')
  const words = args.map((arg, at) => (end >= 0 && at > end ? shellWord(arg) : argumentWord(arg)))
  return ['lineclear', ...words].join(' ')
}

/**
 * Adds options to each command of a sentence. What is quoted for a shell stays: an id may read like a command.
 * @param options as they are typed
 */
export function withOptions(sentence: string, options: readonly string[]): string {
  if (options.length === 0) return sentence
  const command = ['lineclear', ...options.map(shellWord), ''].join(' ')
  return sentence.replaceAll(COMMAND, (found) => (found === 'lineclear ' ? command : found))
}

const COMMAND = /(?<=[ =])'[^']*'|\blineclear (?=[a-z])/g

/** An argument for a shell. Only the value of `--option=value` is quoted. */
function argumentWord(arg: string): string {
  const [, option, value = ''] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? []
  return option === undefined ? shellWord(arg) : `${option}=${shellWord(value)}`
}

/** `olderThan` → `--older-than`. */
export function optionName(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** `older-than` → `olderThan`. */
export function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
