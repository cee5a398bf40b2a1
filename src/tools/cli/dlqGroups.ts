import { isoTime } from '../../library/base/time.ts'
import { arrivalsOf } from '../operator/dlq/bound.ts'
import type { DeadLetter } from '../operator/dlq/deadLetter.ts'
import {
  findDeadLetterQueues,
  messagesOf,
  type FoundQueue,
  type UnreadQueue,
} from '../operator/dlq/findQueues.ts'
import { groupDeadLetters, type DeadLetterGroup, type GroupReport } from '../operator/dlq/look.ts'
import { adviceFor } from '../operator/item/adviceFor.ts'
import { formatDuration } from '../operator/text/humanTime.ts'
import { flag, name } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import {
  FIFO_HEADS,
  deadLetterCount,
  lookedAt,
  isSelective,
  SELECTION,
  selectionOf,
  sharedOptions,
} from './dlqOptions.ts'
import {
  type ChosenQueues,
  chooseQueues,
  onQueuesTogether,
  QUEUE,
  QUEUES,
  unreadLines,
} from './dlqQueues.ts'
import { printJson, oneLine, tableLines } from './table.ts'
import { progressParts, withProgress } from './terminal.ts'
import { UsageError } from './usageError.ts'

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
  options: {
    per: {
      kind: name,
      word: 'ATTRIBUTE',
      help: 'also counts for each value of this message attribute; MessageGroupId: the tenant of a fair queue, the group of a FIFO queue',
      page: true,
    },
    counts: {
      kind: flag,
      help: 'only the counts that SQS gives of each queue: receives nothing',
      page: true,
    },
    ...QUEUES,
    ...SELECTION,
  },
  examples: [
    'dlq groups',
    'dlq groups --counts --queues orders',
    'dlq groups orders-dead --reason moved',
    'dlq groups --per MessageGroupId',
  ],
  route: 'groups',
  receives: true,
  run: async (given, io, signal) => {
    if (given.counts) {
      if (given.queue !== undefined || given.per !== undefined || isSelective(given)) {
        throw new UsageError('--counts: expected no QUEUE, no selection and no --per beside it')
      }
      return countQueues(given.queues, io)
    }
    const selection = selectionOf(given)
    const chosen = await chooseQueues(io, given)
    const counts = new Map<string | null, number>()
    const look = async (letters: readonly DeadLetter[]): Promise<void> => {
      for (const each of letters) {
        const value = valueOf(each, given.per ?? '')
        counts.set(value, (counts.get(value) ?? 0) + 1)
      }
    }
    const view = await withProgress(io, 'looked at', async (progress) => {
      const part = progressParts(progress)
      return groupQueues(chosen, (queue) => {
        const options = { ...selection, ...sharedOptions(io, part(), signal), look }
        return groupDeadLetters({ queue, ...options })
      })
    })
    const per = given.per === undefined ? undefined : sorted(counts)
    if (io.json) printJson(io, { ...view, groups: view.groups.map(groupJson), per })
    else {
      printGroups(view, io)
      for (const line of valueLines(given.per, per ?? [], io)) io.out(line)
    }
    return view.unread.length > 0 ? 1 : 0
  },
})

async function countQueues(prefix: string | undefined, io: Io): Promise<ExitCode> {
  const { queues, unread } = await findDeadLetterQueues({ sqs: io.sqs(), prefix })
  const rows = queues.map((each) =>
    [each.name, messagesOf(each), each.inFlight, each.sources.join(', ')].map(String),
  )
  if (io.json) printJson(io, { queues, unread })
  else if (rows.length === 0) io.out('No dead-letter queue was found.')
  else for (const line of tableLines(QUEUE_HEAD, rows, io.width)) io.out(line)
  if (!io.json) for (const line of unreadLines(unread)) io.out(oneLine(line))
  return unread.length > 0 ? 1 : 0
}

const QUEUE_HEAD = ['QUEUE', 'MESSAGES', 'HELD', 'OF']

interface ValueCount {
  /** null: those without the attribute. */
  readonly value: string | null
  readonly count: number
}

/** The most frequent first. */
function sorted(counts: ReadonlyMap<string | null, number>): readonly ValueCount[] {
  const all = [...counts].map(([value, count]) => ({ value, count }))
  return all.toSorted((one, other) => other.count - one.count)
}

function valueOf({ record, envelope }: DeadLetter, attribute: string): string | null {
  if (attribute === 'MessageGroupId') return record.attributes.MessageGroupId ?? null
  const { value = null } = envelope.attributes[attribute] ?? {}
  return value instanceof Uint8Array ? 'binary' : value
}

const MOST_VALUES = 20

function valueLines(
  attribute: string | undefined,
  counts: readonly ValueCount[],
  io: Io,
): readonly string[] {
  if (attribute === undefined || counts.length === 0) return []
  const shown = counts.slice(0, MOST_VALUES)
  const rows = shown.map(({ value, count }) => [value ?? '(none)', String(count)])
  const left = counts.length - shown.length
  return [
    ...tableLines([attribute, 'COUNT'], rows, io.width),
    ...(left > 0 ? [`and ${left} more values`] : []),
  ]
}

async function groupQueues(
  chosen: ChosenQueues,
  group: (queue: string) => Promise<GroupReport>,
): Promise<GroupsView> {
  const groups: QueueGroup[] = []
  const unread = [...chosen.unread]
  const totals = { looked: 0, visible: 0, more: false, fifo: false }
  for await (const asked of onQueuesTogether(chosen, group)) {
    if ('unread' in asked) {
      unread.push(asked.unread)
      continue
    }
    const { queue, result } = asked
    groups.push(...result.groups.map((each) => ({ queue, ...each })))
    totals.looked += result.looked
    totals.visible += result.visible
    totals.more ||= result.more
    totals.fifo ||= result.fifo
  }
  const sorted = groups.toSorted((one, other) => other.count - one.count)
  return { groups: sorted, ...totals, queues: chosen.found, unread }
}

function groupJson({ times, messageGroups: _all, ...group }: QueueGroup): object {
  const { oldest, newest } = group
  const arrivals = arrivalsOf(times)
  return { ...group, oldest: isoTime(oldest), newest: isoTime(newest), arrivals }
}

const HEAD = ['GROUP', 'COUNT', 'ORIGIN', 'REASON', 'ERROR', 'OLDEST', 'NEWEST', 'EXAMPLE']

function printGroups(view: GroupsView, io: Io): void {
  const { groups, looked, more, fifo, queues, unread } = view
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
  const read = more ? `${lookedAt(view)} dead letters` : deadLetterCount(looked)
  io.out(`${read} looked at${on}${more ? ': the counts are of these' : ''}`)
  for (const line of causeLines(groups)) io.out(oneLine(io.here(line)))
  if (fifo) io.out(FIFO_HEADS)
  for (const line of unreadLines(unread)) io.out(oneLine(line))
}

/** A name for what several groups have in common, as `status` joins them. */
function causeLines(groups: readonly QueueGroup[]): readonly string[] {
  const causes = Map.groupBy(groups, ({ cause }) => cause?.name)
  return [...causes.values()].flatMap((same) => {
    const names = [...new Set(same.map(({ group }) => group))]
    const [{ cause } = {}] = same
    if (cause === undefined || names.length < 2) return []
    const [queue, ...others] = new Set(same.map((each) => each.queue))
    const { reason, error, name } = cause
    const known = others.length === 0 ? queue : undefined
    const { advice } = adviceFor({ reason, error, queue: known, by: { group: name } })
    return [`${names.join(', ')} have one cause, ${name}: ${advice[0]?.text ?? ''}`]
  })
}
