import { hasCode, messageOf } from '../errors.ts'
import type { Command, ExitCode } from './command.ts'
import { COMMANDS } from './commands.ts'
import { type Globals, readGlobals } from './globals.ts'
import { helpText } from './help.ts'
import { openIo } from './openIo.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'
import type { World } from './world.ts'

/** One command, from its arguments to its exit code. Never rejects. */
export async function runCli(args: readonly string[], world: World): Promise<ExitCode> {
  let globals: Globals | undefined
  try {
    globals = readGlobals(args)
    return await run(globals, args, world)
  } catch (error) {
    return tell(error, globals, world)
  }
}

async function run(globals: Globals, args: readonly string[], world: World): Promise<ExitCode> {
  const [name, ...rest] = globals.rest
  if (name === undefined || name === 'help') {
    const command = rest[0] === undefined ? undefined : find(rest[0])
    world.out(command?.usage ?? helpText(COMMANDS))
    return name === undefined && !globals.help ? 2 : 0
  }
  const command = find(name)
  if (globals.help) {
    world.out(command.usage)
    return 0
  }
  return command.run(rest, openIo(globals, world, lineOf(args)))
}

function find(name: string): Command {
  const command = COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map((each) => each.name)
  const near = names.find((each) => each.startsWith(name.slice(0, 2)))
  const hint = near === undefined ? '' : `. Is ${near} meant?`
  throw new UsageError(
    `expected a command (${names.join(', ')}); got ${JSON.stringify(name)}${hint}`,
  )
}

function tell(error: unknown, globals: Globals | undefined, world: World): ExitCode {
  if (error instanceof UsageError || hasCode(error, 'CONFIG')) {
    const [name = ''] = globals?.rest ?? []
    const known = COMMANDS.some((each) => each.name === name)
    world.err(`lineclear: ${oneLine(plain(error))}`)
    world.err(known ? `See: lineclear ${name} --help` : 'See: lineclear help')
    return 2
  }
  world.err(`lineclear: ${oneLine(plain(error))}`)
  world.err('What was done before stands; the same command can be run again.')
  return 3
}

function plain(error: unknown): string {
  return error instanceof Error ? error.message : messageOf(error)
}

/** So that it can be pasted into a shell. */
function lineOf(args: readonly string[]): string {
  return ['lineclear', ...args.map(quoted)].join(' ')
}

function quoted(arg: string): string {
  return /^[\w@%+=:,./#-]+$/.test(arg) && !arg.startsWith('#')
    ? arg
    : `'${arg.replaceAll("'", `'\\''`)}'`
}
