import type { Command } from './command.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './usageError.ts'

/** The command that these words begin with, or all whose words begin with the first of them. */
export function matchingCommands(
  words: readonly string[],
  commands: readonly Command[],
): readonly Command[] {
  const one = commands.find((each) => isWhole(each, words))
  if (one !== undefined) return [one]
  return commands.filter((each) => each.words.startsWith(`${words[0] ?? ''} `))
}

/** @throws UsageError: there is no such command, and which one was probably meant */
export function findCommand(
  typed: readonly string[],
  commands: readonly Command[],
): { readonly command: Command; readonly args: readonly string[] } {
  const rows = matchingCommands(typed, commands)
  const [command] = rows
  if (rows.length === 1 && command !== undefined && isWhole(command, typed)) {
    return { command, args: typed.slice(command.words.split(' ').length) }
  }
  throw rows.length > 0 ? unknownVerb(typed, rows) : unknownCommand(typed, commands)
}

/** Word by word: of `"dlq discard" QUEUE`, in which a shell has left two words together, the queue would be lost. */
function isWhole({ words }: Command, typed: readonly string[]): boolean {
  return words.split(' ').every((word, at) => word === typed[at])
}

function unknownVerb([name = '', verb]: readonly string[], rows: readonly Command[]): UsageError {
  const verbs = rows.map(({ words }) => words.slice(name.length + 1))
  const near = verb === undefined ? undefined : nearest(verb, verbs)
  const hint = near === undefined ? '' : `. Did you mean ${name} ${near}?`
  const got = verb === undefined ? 'nothing' : JSON.stringify(verb)
  const most = verbs.at(-1) ?? ''
  const others = verbs.slice(0, -1).join(', ')
  return new UsageError(
    `${name}: expected ${others === '' ? most : `${others} or ${most}`}; got ${got}${hint}`,
  )
}

function unknownCommand([name = '']: readonly string[], commands: readonly Command[]): UsageError {
  const names = [...new Set(commands.map(({ words }) => words.split(' ')[0] ?? ''))]
  const near = commandOfVerb(name, commands) ?? nearest(name, names)
  const hint = near === undefined ? '' : `. Did you mean ${near}?`
  return new UsageError(
    `expected a command (${names.join(', ')}); got ${JSON.stringify(name)}${hint}`,
  )
}

/** `peek` → `dlq peek`. */
function commandOfVerb(name: string, commands: readonly Command[]): string | undefined {
  return commands.find(({ words }) => words.endsWith(` ${name}`))?.words
}
