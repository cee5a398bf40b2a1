import { countTasks, type TaskCount } from '../operator/tasks/countTasks.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import type { CliCommand } from './command.ts'
import { jsonTime, printJson } from './printJson.ts'
import { positionals, readArgs } from './readArgs.ts'
import { tableLines } from './table.ts'

export const stats: CliCommand = {
  name: 'stats',
  summary: 'count what is open, by consumer or flow and status',
  usage: `lineclear stats [--flow NAME]

  Counts the entries of the status index (dynamodb:Query), never the whole table: a request in its first attempt is not in it.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, { flow: { type: 'string' } })
    positionals(given, [])
    const now = io.clock.now()
    const progress = io.progress('counted')
    const counts = await countTasks(io.store(), { of: values.flow }, now, (read) =>
      progress.at(read),
    )
    progress.end()
    if (io.json) printJson(io, { counts: counts.map(jsonOf) })
    else if (counts.length === 0) io.out('Nothing is open, as far as the status index shows.')
    else {
      const rows = counts.map(({ of, status, number, overdue, oldest }) => {
        const age = oldest === undefined ? '' : formatDuration(Math.max(0, now - oldest))
        return [of, status, String(number), String(overdue), age]
      })
      for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
    }
    return 0
  },
}

function jsonOf(count: TaskCount): object {
  return { ...count, oldest: jsonTime(count.oldest) }
}

const HEAD = ['OF', 'STATUS', 'NUMBER', 'OVERDUE', 'OLDEST']
