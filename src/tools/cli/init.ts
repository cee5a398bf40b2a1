import type { Addable, Plan, ToolName } from '../init/index.ts'
import { flag, kind, type Kind } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { printJson, oneLine, tableLines } from './table.ts'
import { UsageError } from './usageError.ts'

const TOOLS: readonly ToolName[] = ['sam', 'terraform', 'cdk', 'osls']
const KINDS: readonly Addable[] = ['consumer', 'flow', 'function']
const what: Kind<ToolName | Addable> = kind(
  [...TOOLS, ...KINDS].join('|'),
  (text, refuse) =>
    [...TOOLS, ...KINDS].find((each) => each === text) ??
    refuse(`a tool (${TOOLS.join(', ')}), consumer, flow or function`),
)

const isTool = (of: ToolName | Addable): of is ToolName => TOOLS.some((tool) => tool === of)

/** Names that resources of every project have already. */
const TAKEN = ['sweeper', 'table', 'lineclear']
const ownName: Kind<string> = kind('NAME', (text, refuse) =>
  /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text) && !TAKEN.includes(text)
    ? text
    : refuse(
        `a name of small letters, digits and hyphens, such as refund-requests, and none of ${TAKEN.join(', ')}`,
      ),
)

export const init: Command = command({
  words: 'init',
  summary:
    'write a consumer, its test and all that it needs in AWS into an empty folder; or add a consumer, flow or function to it',
  about: [
    'With the name of a tool: shows the files of a project that is deployed with it: a consumer with its test, the table, a queue, dead letters, an event source mapping, the sweeper, alarms, and for each function a role that allows what it does and no more. The folder has to be empty, but for names that begin with a dot.',
    'consumer, flow and function: add to such a project another consumer, a flow of two stages with an answer of an outside system between them, or a function that runs once for each key, with their tests. Files that are there get more text, and lose none. Code and tests are written as the project writes its own: TypeScript or JavaScript, for vitest, jest or node --test. In a project that init has not written no file is changed: what the function needs in AWS goes into the folder lineclear, and what to paste is printed.',
    'Makes no call to AWS.',
  ],
  arguments: {
    what: { kind: what, help: 'the tool with which the project is deployed, or what is added' },
    name: {
      kind: ownName,
      help: 'of the consumer, flow or function, such as refund-requests. Default, of the consumer: orders',
      optional: true,
    },
  },
  options: {
    write: { kind: flag, help: 'write what is shown into this folder; no file is replaced' },
  },
  examples: ['init sam refund-requests --write', 'init consumer mails', 'init flow delivery'],
  run: async ({ what: of, name, write }, io) => {
    const { addedTo, newProject, writeFiles } = await import('../init/index.ts')
    if (!isTool(of) && name === undefined) throw new UsageError('expected NAME, got nothing')
    const plan = isTool(of)
      ? newProject(io.cwd, of, name ?? 'orders')
      : addedTo(io.cwd, of, name ?? '')
    if (typeof plan === 'string') return refuse(`nothing is written: ${plan}`, io)
    if (!write) return report(plan, false, io)
    if (plan.obstacle !== undefined) return refuse(`nothing is written: ${plan.obstacle}`, io)
    const failed = writeFiles(plan, io.cwd)
    return failed === undefined ? report(plan, true, io) : refuse(failed, io)
  },
})

function refuse(because: string, io: Io): ExitCode {
  if (io.json) printJson(io, { written: false, refused: because })
  else io.err(oneLine(`lineclear: ${because}`))
  return 1
}

function report(
  { files, changed, left, next, paste, assumed = [], obstacle }: Plan,
  written: boolean,
  io: Io,
): ExitCode {
  const listed = [...files, ...changed, ...left].map((file) => ({
    path: file.path,
    what: file.what,
  }))
  if (io.json) {
    printJson(io, {
      written,
      ...(obstacle !== undefined && { refused: obstacle }),
      files: listed,
      ...(paste !== undefined && { paste }),
      ...(assumed.length > 0 && { assumed }),
    })
    return 0
  }
  const rows = listed.map((file) => [file.path, file.what])
  for (const line of tableLines(['FILE', 'WHAT'], rows, io.width)) io.out(line)
  io.out('')
  if (paste !== undefined) {
    io.out('Your own files stay as they are. Paste')
    io.out(`  ${paste}`)
    io.out('')
  }
  for (const each of assumed) io.out(`Not known: ${each}.`)
  if (assumed.length > 0) io.out('')
  if (!written) {
    io.out(`Nothing is written yet. To write: ${io.change.line} --write`)
    if (obstacle !== undefined) io.out(oneLine(`Not into this folder: ${obstacle}`))
  } else for (const line of ['Written. Next:', ...next.map((each) => `  ${each}`)]) io.out(line)
  return 0
}
