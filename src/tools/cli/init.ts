import type { ProjectFile, ToolName } from '../init/index.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { readArgs } from './readArgs.ts'
import { oneLine, tableLines } from './table.ts'
import { UsageError } from './usageError.ts'

export const init: CliCommand = {
  name: 'init',
  summary: 'write a consumer, its test and all that it needs in AWS into an empty folder',
  usage: `lineclear init sam [NAME] [--write]
lineclear init terraform [NAME] [--write]
lineclear init cdk [NAME] [--write]
lineclear init osls [NAME] [--write]

  Shows the files of a project that is deployed with that tool: a consumer with its test, the table, a queue, dead letters, an event
  source mapping, the sweeper, alarms, and for each function a role that allows what it does and no more. Makes no call to AWS.

  NAME     of the consumer, such as refund-requests. Default: orders
  --write  writes them into this folder, which has to be empty but for names that begin with a dot. No file is replaced`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, { write: { type: 'boolean' } })
    const [tool, name] = readGiven(given)
    const { filesOf, NEXT, obstacleTo, writeFiles } = await import('../init/index.ts')
    const files = filesOf(tool, name)
    const obstacle = obstacleTo(files, io.cwd)
    if (obstacle !== undefined) return refuse(`nothing is written: ${obstacle}`, io)
    if (values.write === true) {
      const failed = writeFiles(files, io.cwd)
      if (failed !== undefined) return refuse(failed, io)
    }
    report(files, values.write === true ? NEXT : undefined, io)
    return 0
  },
}

const NAMES: readonly ToolName[] = ['sam', 'terraform', 'cdk', 'osls']
/** Of resources of their own in each project. */
const TAKEN = ['sweeper', 'table']

/** @throws UsageError */
function readGiven([given = '', name = 'orders', more]: readonly string[]): readonly [
  ToolName,
  string,
] {
  const tool = NAMES.find((each) => each === given)
  if (tool === undefined) {
    throw new UsageError(`expected a tool (${NAMES.join(', ')}), got ${JSON.stringify(given)}`)
  }
  if (!/^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || TAKEN.includes(name)) {
    throw new UsageError(
      `expected a name of small letters, digits and hyphens, such as refund-requests, and none of ${TAKEN.join(', ')}; got ${JSON.stringify(name)}`,
    )
  }
  if (more !== undefined)
    throw new UsageError(`expected one name, got also ${JSON.stringify(more)}`)
  return [tool, name]
}

function refuse(because: string, io: Io): ExitCode {
  if (io.json) printJson(io, { written: false, refused: because })
  else io.err(oneLine(`lineclear: ${because}`))
  return 1
}

/** @param next what to type when they are written; undefined: they are not */
function report(files: readonly ProjectFile[], next: readonly string[] | undefined, io: Io): void {
  const written = next !== undefined
  if (io.json) {
    printJson(io, { written, files: files.map(({ path, what }) => ({ path, what })) })
    return
  }
  const rows = files.map(({ path, what }) => [path, what])
  for (const line of tableLines(['FILE', 'WHAT'], rows, io.width)) io.out(line)
  io.out('')
  if (next === undefined) io.out(`Nothing is written yet. To write: ${io.change.line} --write`)
  else for (const line of ['Written. Next:', ...next.map((each) => `  ${each}`)]) io.out(line)
}
