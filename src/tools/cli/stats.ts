import { countTasks } from '../operator/tasks/listTasks.ts'
import { formatRelative } from '../operator/text/humanTime.ts'
import { name } from '../commands/kinds.ts'
import { type Command, command } from './command.ts'
import { jsonTime, printJson, tableLines } from './table.ts'
import { withProgress } from './terminal.ts'

export const stats: Command = command({
  words: 'stats',
  summary: 'counts of what is open, by consumer or flow and status',
  about: [
    'Counts the keys of the status index (dynamodb:Query, one for 5,000 entries) and reads no items. A request or a key in its first attempt is not in it, nor is a run of a flow before a stage of it needs a second one.',
  ],
  arguments: {},
  options: {
    flow: { kind: name, help: 'of this flow' },
    consumer: { kind: name, help: 'of this consumer or scope' },
  },
  examples: ['stats --consumer orders'],
  run: async ({ flow, consumer }, io) => {
    const now = io.clock.now()
    const counting = { of: flow ?? consumer, now }
    const counts = await withProgress(io, 'counted', async ({ at }) =>
      countTasks(io.store(), counting, at),
    )
    if (io.json)
      printJson(io, { counts: counts.map((each) => ({ ...each, due: jsonTime(each.due) })) })
    else if (counts.length === 0) io.out('Nothing is open, as far as the status index shows.')
    else {
      const rows = counts.map(({ of, status, number, overdue, due }) => [
        of,
        status,
        String(number),
        String(overdue),
        formatRelative(due, now),
      ])
      for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
    }
    return 0
  },
})

const HEAD = ['OF', 'STATUS', 'NUMBER', 'OVERDUE', 'EARLIEST DUE']
