import { hasCode, messageOf } from '../../errors.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import { QueueNotFoundError } from '../operator/dlq/index.ts'
import type { CliCommand, ExitCode } from './command.ts'
import { COMMANDS } from './commands.ts'
import { type Globals, readGlobals } from './globals.ts'
import { helpText } from './help.ts'
import { openIo } from './openIo.ts'
import { oneLine } from './table.ts'
import { type FailedCommand, errorHelp } from './errorHelp.ts'
import { UsageError } from './usageError.ts'
import type { CliProcess } from './process.ts'

/** One command, from its arguments to its exit code. Never rejects. */
export async function runCli(args: readonly string[], cliProcess: CliProcess): Promise<ExitCode> {
  let globals: Globals | undefined
  try {
    globals = readGlobals(args)
    return await run(globals, args, cliProcess)
  } catch (error) {
    return reportUsageError(error, globals, cliProcess)
  }
}

async function run(
  globals: Globals,
  args: readonly string[],
  cliProcess: CliProcess,
): Promise<ExitCode> {
  const [name, ...rest] = globals.rest
  if (name === undefined || name === 'help') {
    const command = rest[0] === undefined ? undefined : find(rest[0])
    cliProcess.out(command?.usage ?? helpText(COMMANDS))
    return name === undefined && !globals.help ? 2 : 0
  }
  const command = find(name)
  if (globals.help) {
    cliProcess.out(command.usage)
    return 0
  }
  const io = openIo(globals, cliProcess, asTyped(args))
  try {
    return await command.run(rest, io)
  } catch (error) {
    if (isUsageError(error)) throw error
    if (error instanceof QueueNotFoundError) {
      cliProcess.err(`lineclear: ${oneLine(error.message)}`)
      return 4
    }
    const { local, apply } = globals
    return reportFailure(error, { command: name, local, apply, table: io.table }, cliProcess)
  }
}

function find(name: string): CliCommand {
  const command = COMMANDS.find((each) => each.name === name)
  if (command !== undefined) return command
  const names = COMMANDS.map((each) => each.name)
  const near = names.find((each) => each.startsWith(name.slice(0, 2)))
  const hint = near === undefined ? '' : `. Did you mean ${near}?`
  throw new UsageError(
    `expected a command (${names.join(', ')}); got ${JSON.stringify(name)}${hint}`,
  )
}

/** Wrong arguments, including those that are found only when a client is made of them. */
function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || hasCode(error, 'CONFIG')
}

function reportUsageError(
  error: unknown,
  globals: Globals | undefined,
  cliProcess: CliProcess,
): ExitCode {
  const [name = ''] = globals?.rest ?? []
  const known = COMMANDS.some((each) => each.name === name)
  cliProcess.err(`lineclear: ${oneLine(messageText(error))}`)
  cliProcess.err(known ? `See: lineclear ${name} --help` : 'See: lineclear help')
  return 2
}

function reportFailure(error: unknown, asked: FailedCommand, cliProcess: CliProcess): ExitCode {
  const [what = '', ...rest] = errorHelp(error, asked)
  for (const line of [`lineclear: ${what}`, ...rest]) cliProcess.err(oneLine(line))
  return 3
}

function messageText(error: unknown): string {
  return error instanceof Error ? error.message : messageOf(error)
}

/** The command as typed, quoted for a shell. */
function asTyped(args: readonly string[]): string {
  return ['lineclear', ...args.map(shellWord)].join(' ')
}
