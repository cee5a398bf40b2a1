import { countTasks } from '../operator/tasks/listTasks.ts'
import { formatRelative } from '../operator/text/humanTime.ts'
import type { Io } from './command.ts'
import { jsonTime, printJson, tableLines } from './table.ts'
import { withProgress } from './terminal.ts'

/** Counts the keys of the status index, and reads no items. @param of a consumer, scope or flow; undefined: all */
export async function countOpen(of: string | undefined, io: Io): Promise<void> {
  const now = io.clock.now()
  const counts = await withProgress(io, 'counted', async ({ at }) =>
    countTasks(io.store(), { of, now }, at),
  )
  if (io.json) {
    printJson(io, { counts: counts.map((each) => ({ ...each, due: jsonTime(each.due) })) })
  } else if (counts.length === 0) io.out(NOTHING_OPEN)
  else {
    const rows = counts.map(({ of: owner, status, number, overdue, due }) => [
      owner,
      status,
      String(number),
      String(overdue),
      formatRelative(due, now),
    ])
    for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
  }
}

export const NOTHING_OPEN = 'Nothing is open, as far as the status index shows.'

const HEAD = ['OF', 'STATUS', 'NUMBER', 'OVERDUE', 'EARLIEST DUE']
