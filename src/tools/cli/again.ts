import { Readable } from 'node:stream'
import type { Again } from '../console/again.ts'
import { optionsBefore } from '../console/form.ts'
import { shellWord } from '../operator/text/commandLine.ts'
import type { ExitCode, Io } from './command.ts'
import { countCost, countedDynamoDb, countedSqs } from './countCost.ts'
import type { Globals } from './globals.ts'
import type { CliProcess } from './process.ts'

/**
 * Further commands on the table and queues of this one, which share its clients.
 * @param run runs a command, as `runCli` does
 */
export function againOn(
  io: Pick<Io, 'dynamodb' | 'sqs' | 'change'>,
  globals: Globals,
  cliProcess: CliProcess,
  run: (args: readonly string[], cliProcess: CliProcess) => Promise<ExitCode>,
): Again {
  const place = placeOf(globals)
  return async (args, signal) => {
    const lines: string[] = []
    const typed = optionsBefore(args, place)
    const [exit, cost] = await countCost(() =>
      run(['--json', ...typed], {
        ...cliProcess,
        out: (line) => void lines.push(line),
        err: () => {},
        terminal: { write: () => {} },
        stdin: Readable.from([]),
        width: undefined,
        user: () => io.change.by,
        interrupt: signal,
        dynamodb: countedDynamoDb(io.dynamodb()),
        sqs: countedSqs(io.sqs()),
      }),
    )
    const line = ['lineclear', ...typed.map(shellWord)].join(' ')
    const answer = JSON.parse(lines.join('\n')) as Readonly<Record<string, unknown>>
    return { exit, line, answer, cost }
  }
}

/** Which table and queues, as options. */
function placeOf({ local, table, region }: Globals): readonly string[] {
  return [
    ...(local ? ['--local'] : []),
    ...(table === undefined ? [] : ['--table', table]),
    ...(region === undefined ? [] : ['--region', region]),
  ]
}
