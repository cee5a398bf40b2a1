import type { ProjectFile, ToolName } from '../init/index.ts'
import { flag, kind, type Kind } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { printJson } from './printJson.ts'
import { oneLine, tableLines } from './table.ts'

const TOOLS: readonly ToolName[] = ['sam', 'terraform', 'cdk', 'osls']
const tool: Kind<ToolName> = kind(
  TOOLS.join('|'),
  (text, refuse) => TOOLS.find((each) => each === text) ?? refuse(`a tool (${TOOLS.join(', ')})`),
)

/** Of resources of their own in each project. */
const TAKEN = ['sweeper', 'table']
const ownName: Kind<string> = kind('NAME', (text, refuse) =>
  /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) && !TAKEN.includes(text)
    ? text
    : refuse(
        `a name of small letters, digits and hyphens, such as refund-requests, and none of ${TAKEN.join(', ')}`,
      ),
)

export const init: Command = command({
  words: 'init',
  summary: 'write a consumer, its test and all that it needs in AWS into an empty folder',
  about: [
    'Shows the files of a project that is deployed with that tool: a consumer with its test, the table, a queue, dead letters, an event source mapping, the sweeper, alarms, and for each function a role that allows what it does and no more. Makes no call to AWS.',
  ],
  arguments: {
    tool: { kind: tool, help: 'with which the project is deployed' },
    name: {
      kind: ownName,
      help: 'of the consumer, such as refund-requests. Default: orders',
      optional: true,
    },
  },
  options: {
    write: {
      kind: flag,
      help: 'write them into this folder, which has to be empty but for names that begin with a dot; no file is replaced',
    },
  },
  examples: ['init sam refund-requests --write'],
  run: async ({ tool: of, name = 'orders', write }, io) => {
    const { filesOf, NEXT, obstacleTo, writeFiles } = await import('../init/index.ts')
    const files = filesOf(of, name)
    const obstacle = obstacleTo(files, io.cwd)
    if (obstacle !== undefined) return refuse(`nothing is written: ${obstacle}`, io)
    if (write) {
      const failed = writeFiles(files, io.cwd)
      if (failed !== undefined) return refuse(failed, io)
    }
    report(files, write ? NEXT : undefined, io)
    return 0
  },
})

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
