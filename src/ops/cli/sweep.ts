import type { Logger } from '../../logger.ts'
import { countOpen } from '../operator/tasks/openEntries.ts'
import { TASK_STATUSES } from '../operator/tasks/statuses.ts'
import { sweepHandler } from '../operator/sweep/sweepHandler.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { printJson } from './printJson.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'

export const sweep: CliCommand = {
  name: 'sweep',
  summary: 'run the sweeper once',
  usage: `lineclear sweep [--grace AGE]

  Sends delayed messages that are due, ends runs past their time limit, queues accepted events, sends lost timeouts again; lists
  what waits for an operator; ends pauses that are over.
  Shows how many items are due; --apply sweeps them.

  --grace   skip what became due less than this long ago (default 1m)`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, { grace: { type: 'string' } })
    positionals(given, [])
    const grace = readDuration('--grace', values.grace) ?? MINUTE
    return io.change.apply ? runSweep(grace, io) : preview(grace, io)
  },
}

const MINUTE = 60_000

async function preview(grace: number, io: Io): Promise<ExitCode> {
  const now = io.clock.now()
  const progress = io.progress('due')
  const due = new Map<string, number>()
  let read = 0
  for await (const { status, key } of countOpen(io.store(), TASK_STATUSES)) {
    progress.at((read += 1))
    if (key.dueAt <= now - grace) due.set(status, (due.get(status) ?? 0) + 1)
  }
  progress.end()
  if (io.json) printJson(io, { outcome: 'planned', due: Object.fromEntries(due) })
  else if (due.size === 0) io.out('Nothing is due.')
  else {
    for (const [status, number] of due) io.out(`${number} ${status}`)
    io.out('Nothing was changed. To sweep them:')
    io.out(`  ${io.change.line} --apply`)
  }
  return 0
}

async function runSweep(grace: number, io: Io): Promise<ExitCode> {
  const progress = io.progress('swept')
  const { lines, logger } = linesTo(progress.at)
  const client = await io.lambda()
  const lambda = 'why' in client ? undefined : client
  const { clock } = io
  const run = sweepHandler({ store: io.store(), sqs: io.sqs(), lambda, clock, grace, logger })
  const report = await run()
  progress.end()
  if (io.json) printJson(io, { outcome: 'applied', ...report })
  else {
    for (const line of lines) io.out(line)
    const { delayed, ...counts } = report
    for (const [name, number] of Object.entries(counts)) io.out(`${name.padEnd(9)} ${number}`)
    const parts = Object.entries(delayed).map(([name, number]) => `${number} ${name}`)
    io.out(`${'delayed'.padEnd(9)} ${parts.join(', ')}`)
  }
  const { failed, waiting, overdue, delayed } = report
  return failed + waiting + overdue + delayed.failed + delayed.unreadable > 0 ? 1 : 0
}

/** Collects the sweeper's log: one line for each item that an operator should see. */
function linesTo(at: (done: number) => void): { lines: string[]; logger: Logger } {
  const lines: string[] = []
  const collect = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
    if (message === 'swept') return
    const { pk, mapping, status, error } = fields ?? {}
    lines.push(
      [pk ?? mapping, status, message, error]
        .filter((part) => part !== undefined)
        .map(String)
        .join('  '),
    )
    at(lines.length)
  }
  const logger = { debug: collect, info: collect, warn: collect, error: collect }
  return { lines, logger }
}
