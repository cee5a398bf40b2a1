import { hasCode } from '../../library/base/errors.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import { QueueNotFoundError } from '../operator/dlq/deadLetterQueue.ts'
import type { ExitCode } from './command.ts'
import { COMMANDS, SECTIONS } from './commands.ts'
import { findCommand, matchingCommands } from './findCommand.ts'
import { type Globals, readGlobals } from './globals.ts'
import { helpText, usageText } from './help.ts'
import { openIo } from './openIo.ts'
import { jsonText, oneLine } from './table.ts'
import { errorHelp, fullText } from './errorHelp.ts'
import { UsageError } from './usageError.ts'
import type { CliProcess } from './process.ts'

/** One command, from its arguments to its exit code. Never rejects. */
export async function runCli(args: readonly string[], cliProcess: CliProcess): Promise<ExitCode> {
  let globals: Globals | undefined
  try {
    globals = readGlobals(args)
    return await run(globals, cliProcess)
  } catch (error) {
    return reportUsageError(error, globals ?? asFarAsRead(args), cliProcess)
  }
}

type Said = Pick<Globals, 'json' | 'rest'> & Partial<Pick<Globals, 'notPlan'>>

/** What can be read although the options are wrong: a script that asks for JSON gets its error as JSON, too. */
function asFarAsRead(args: readonly string[]): Said {
  const at = args.findIndex((word) => matchingCommands([word], COMMANDS).length > 0)
  return { json: args.includes('--json'), rest: at < 0 ? [] : args.slice(at) }
}

async function run(globals: Globals, cliProcess: CliProcess): Promise<ExitCode> {
  const [name, ...rest] = globals.rest
  if (globals.version) {
    cliProcess.out(cliProcess.version())
    return 0
  }
  const asked = name === 'help' ? rest : globals.help ? globals.rest : undefined
  if (name === undefined || asked !== undefined) {
    cliProcess.out(helpOf(asked ?? []))
    return name === undefined && !globals.help ? 2 : 0
  }
  const { node = process.versions.node } = cliProcess
  // Older ones lack functions that a command needs in the middle of its work.
  if (Number.parseInt(node, 10) < 22)
    throw new UsageError(`expected Node.js 22 or later, got ${node}`)
  const { command, args } = findCommand(globals.rest, COMMANDS)
  const typed = ['lineclear', ...globals.typed.map(shellWord)]
  const io = openIo(globals, cliProcess, typed, { commands: COMMANDS, run: runCli })
  try {
    return await command.run(args, io)
  } catch (error) {
    if (isUsageError(error)) throw error
    if (error instanceof QueueNotFoundError) {
      return report({ kind: 'not found', exit: 4, lines: [error.message] }, globals, cliProcess)
    }
    const { local, apply } = globals
    const failed = { command: name, local, apply, table: io.table }
    const lines = errorHelp(error, failed)
    return report({ kind: 'no answer', exit: 3, lines }, globals, cliProcess)
  }
}

function helpOf(asked: readonly string[]): string {
  if (asked.length === 0) return helpText(SECTIONS)
  const rows = matchingCommands(asked, COMMANDS)
  const isNamed = rows.length === 1 || (rows.length > 0 && asked.length === 1)
  return usageText(isNamed ? rows : [findCommand(asked, COMMANDS).command])
}

/** Wrong arguments, including those that are found only when a client is made of them. */
function isUsageError(error: unknown): boolean {
  return error instanceof UsageError || hasCode(error, 'CONFIG')
}

function reportUsageError(error: unknown, said: Said, cliProcess: CliProcess): ExitCode {
  const [row, ...others] = matchingCommands(said.rest, COMMANDS)
  const words = others.length > 0 ? row?.words.split(' ')[0] : row?.words
  const see = words === undefined ? 'See: lineclear help' : `See: lineclear ${words} --help`
  return report(
    { kind: 'wrong arguments', exit: 2, lines: [fullText(error), ...planHint(said), see] },
    said,
    cliProcess,
  )
}

/** The word after `--apply` was taken for an argument of the command. */
function planHint({ notPlan }: Said): readonly string[] {
  if (notPlan === undefined) return []
  return [
    `--apply expects the name of a plan, eight hexadecimal digits: ${JSON.stringify(notPlan)} is none.`,
  ]
}

interface CliFailure {
  readonly kind: 'wrong arguments' | 'no answer' | 'not found'
  readonly exit: ExitCode
  readonly lines: readonly string[]
}

/** With `--json` on standard output, like every other answer. */
function report(
  { kind, exit, lines }: CliFailure,
  said: Said,
  { out, err, clock }: CliProcess,
): ExitCode {
  const [what = '', ...rest] = lines
  if (said.json) {
    const error = { kind, message: what, help: rest }
    out(jsonText({ command: said.rest[0], now: clock.now() }, { error }))
  } else {
    for (const line of [`lineclear: ${what}`, ...rest]) err(oneLine(line))
  }
  return exit
}
