import { isoTime } from '../../base/time.ts'
import {
  arrivalsOf,
  groupDeadLetters,
  type DeadLetterGroup,
  type FoundQueue,
  type GroupReport,
  type UnreadQueue,
} from '../operator/dlq/index.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { type Command, command, type Io } from './command.ts'
import {
  FIFO_HEADS,
  deadLetterCount,
  SELECTION,
  selectionOf,
  sharedOptions,
  withProgress,
} from './dlqOptions.ts'
import {
  type ChosenQueues,
  chooseQueues,
  onQueuesTogether,
  QUEUE,
  QUEUES,
  unreadLines,
} from './dlqQueues.ts'
import { untilInterrupted } from './interrupt.ts'
import { printJson } from './printJson.ts'
import { partsOf } from './terminal.ts'
import { oneLine, tableLines } from './table.ts'

/** A group, and the queue that it is on. */
type QueueGroup = DeadLetterGroup & { readonly queue: string }

interface GroupsView extends Omit<GroupReport, 'groups'> {
  readonly groups: readonly QueueGroup[]
  readonly queues: readonly FoundQueue[] | undefined
  readonly unread: readonly UnreadQueue[]
}

export const groups: Command = command({
  words: 'dlq groups',
  summary: 'counts of the dead letters by origin, reason and error; a group keeps its name',
  arguments: { queue: { ...QUEUE, help: `${QUEUE.help}; without it all of the account` } },
  options: { ...QUEUES, ...SELECTION },
  examples: ['dlq groups', 'dlq groups orders-dead --reason moved'],
  route: 'groups',
  receives: true,
  run: async (given, io) =>
    untilInterrupted(io.interrupt, async (signal) => {
      const selection = selectionOf(given)
      const chosen = await chooseQueues(io, given)
      const view = await withProgress(io, 'looked at', async (progress) => {
        const part = partsOf(progress)
        return groupQueues(chosen, (queue) => {
          const options = { ...selection, ...sharedOptions(io, part(), signal) }
          return groupDeadLetters({ queue, ...options })
        })
      })
      if (io.json) printJson(io, { ...view, groups: view.groups.map(groupJson) })
      else printGroups(view, io)
      return view.unread.length > 0 ? 1 : 0
    }),
})

async function groupQueues(
  chosen: ChosenQueues,
  group: (queue: string) => Promise<GroupReport>,
): Promise<GroupsView> {
  const groups: QueueGroup[] = []
  const unread = [...chosen.unread]
  const totals = { looked: 0, more: false, fifo: false }
  for await (const asked of onQueuesTogether(chosen, group)) {
    if ('unread' in asked) {
      unread.push(asked.unread)
      continue
    }
    const { queue, result } = asked
    groups.push(...result.groups.map((each) => ({ queue, ...each })))
    totals.looked += result.looked
    totals.more ||= result.more
    totals.fifo ||= result.fifo
  }
  const sorted = groups.toSorted((one, other) => other.count - one.count)
  return { groups: sorted, ...totals, queues: chosen.found, unread }
}

function groupJson({ times, ...group }: QueueGroup): object {
  const { oldest, newest } = group
  const arrivals = arrivalsOf(times)
  return { ...group, oldest: isoTime(oldest), newest: isoTime(newest), arrivals }
}

const HEAD = ['GROUP', 'COUNT', 'ORIGIN', 'REASON', 'ERROR', 'OLDEST', 'NEWEST', 'EXAMPLE']

function printGroups({ groups, looked, more, fifo, queues, unread }: GroupsView, io: Io): void {
  const ago = (time: number): string => formatDuration(Math.max(0, io.clock.now() - time))
  const all = queues !== undefined
  const rows = groups.map(
    ({ queue, group, count, origin, reason, error, oldest, newest, example }) => [
      ...(all ? [queue] : []),
      group,
      String(count),
      origin,
      reason,
      error,
      ago(oldest),
      ago(newest),
      example,
    ],
  )
  const head = all ? ['QUEUE', ...HEAD] : HEAD
  if (rows.length > 0) for (const line of tableLines(head, rows, io.width)) io.out(line)
  const on = all
    ? ` on ${queues.length} dead-letter ${queues.length === 1 ? 'queue' : 'queues'}`
    : ''
  io.out(`${deadLetterCount(looked)} looked at${on}${more ? '; there are more' : ''}`)
  if (fifo) io.out(FIFO_HEADS)
  for (const line of unreadLines(unread)) io.out(oneLine(line))
}
