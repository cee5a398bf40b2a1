import type { QueueOptions, Selection } from '../operator/dlq/deadLetterQueue.ts'
import type { Looked } from '../operator/dlq/look.ts'
import type { UnreadQueue } from '../operator/dlq/findQueues.ts'
import type { LettersReport, PlannedLetter, Unseen } from '../operator/dlq/bound.ts'
import { duration, id, name, words } from '../commands/kinds.ts'
import type { GivenOptions, Option } from '../commands/row.ts'
import {
  type BoundReport,
  type BoundTo,
  DEAD_LETTERS,
  type Planning,
  runBound,
} from './boundRun.ts'
import type { ExitCode, Io } from './command.ts'
import { chooseForChange, type GivenQueues, unreadLines } from './dlqQueues.ts'
import { type Progress, withProgress } from './terminal.ts'
import { listLines } from './table.ts'

type Text = Option<string>

export const SELECTION: {
  readonly group: Text
  readonly id: Text & { readonly many: true }
  readonly reason: Text
  readonly match: Text
  readonly olderThan: Option<number>
} = {
  group: { kind: name, word: 'GROUP', help: 'of this group, as dlq groups names it', page: true },
  id: {
    kind: id,
    help: 'its uniquerequestid, that of its run, or its SQS message id',
    many: true,
    page: true,
  },
  reason: {
    kind: name,
    word: 'REASON',
    help: 'exhausted, terminal, rejected, too old, unknown, conflict …; moved: by SQS (maxReceiveCount)',
    page: true,
  },
  match: { kind: words, help: 'with this text in the body or the error', page: true },
  olderThan: { kind: duration, help: 'dead for longer than 10m, 2h, 1d', page: true },
}

type GivenSelection = GivenOptions<typeof SELECTION>

export function selectionOf({
  group,
  id: ids,
  reason,
  match,
  olderThan,
}: GivenSelection): Selection {
  return { group, ids: ids.length === 0 ? undefined : ids, reason, match, olderThan }
}

export function isSelective(given: GivenSelection): boolean {
  return Object.values(selectionOf(given)).some((each) => each !== undefined)
}

type SharedOptions = Pick<QueueOptions, 'sqs' | 'clock' | 'sourceQueue' | 'signal' | 'onProgress'>

export function sharedOptions(
  io: Io,
  progress: Pick<Progress, 'at'>,
  signal: AbortSignal,
): SharedOptions {
  return {
    sqs: io.sqs(),
    clock: io.clock,
    sourceQueue: io.change.force ? 'accept' : 'refuse',
    signal,
    onProgress: (looked, of) => progress.at(looked, of),
  }
}

export function deadLetterCount(count: number): string {
  return `${count} dead ${count === 1 ? 'letter' : 'letters'}`
}

/** The number that was read; a part also says of how many it is, as SQS counts them. */
export function lookedAt({ looked, visible, more }: Omit<Looked, 'fifo'>): string {
  const number = (count: number): string => count.toLocaleString('en')
  if (!more) return number(looked)
  return visible > looked
    ? `${number(looked)} of about ${number(visible)}`
    : `${number(looked)} of more`
}

export const MORE =
  'There are more dead letters than can be held at once. Run the command again when these are gone.'

export const ONLY_PLANNED: readonly string[] = [
  'Shows the plan and its name; --apply NAME changes the dead letters of that plan and no others: what arrived since is left and counted.',
]

export const FIFO_HEADS =
  'FIFO queue: only the first dead letters of each message group are visible; later ones become visible when these are gone'

/** With the queues that could not be looked at. */
export type OnQueues<Report> = Report & { readonly unread: readonly UnreadQueue[] }

export type LettersOptions = Selection &
  SharedOptions &
  BoundTo<PlannedLetter> & { readonly queue: readonly string[] }

interface LettersChange<Report> {
  readonly action: string
  readonly planning?: Planning
  run(options: LettersOptions): Promise<Report>
  read(report: OnQueues<Report>): BoundReport
  lines(report: OnQueues<Report>): readonly string[]
}

/** A change of those that are selected on the chosen queues: shows the plan, or makes it true. */
export async function changeLetters<Report extends LettersReport>(
  { action, planning = DEAD_LETTERS, run, read, lines }: LettersChange<Report>,
  given: GivenSelection & GivenQueues,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { queues: queue, id: of, unread } = await chooseForChange(io, given)
  const change = {
    planning,
    action,
    id: of,
    run: async (bound: BoundTo<PlannedLetter>): Promise<OnQueues<Report>> =>
      withProgress(io, 'looked at', async (progress) => {
        const selected = { queue, ...selectionOf(given) }
        const options = { ...selected, ...sharedOptions(io, progress, signal), ...bound }
        return { ...(await run(options)), unread }
      }),
    read,
    lines: (report: OnQueues<Report>) => [...lines(report), ...unreadLines(report.unread)],
    notFound: notFoundLines,
    gone: goneLines,
  }
  return runBound(change, io, isSelective(given))
}

/** What a plan changes: by group, with ids. */
export function plannedLines({ groups }: LettersReport): readonly string[] {
  return groups
    .filter(({ planned }) => planned > 0)
    .flatMap(({ planned, origin, reason, error, ids }) => {
      const more = planned > ids.length ? `, and ${planned - ids.length} more` : ''
      return [
        `  ${planned} ${reason} of ${origin}${error === '' ? '' : `: ${error}`}`,
        `    ${ids.join(', ')}${more}`,
      ]
    })
}

/** Why nothing matches: what is there, and what could not be seen. */
function notFoundLines({ groups, hidden }: LettersReport): readonly string[] {
  return [
    ...(hidden > 0 ? [heldLine(hidden)] : []),
    ...(groups.length > 0 ? ['On the queue are, by group:'] : []),
    ...groups.map(
      ({ group, count, reason, origin, error }) =>
        `  ${group}  ${count} ${reason} of ${origin}${error === '' ? '' : `: ${error}`}`,
    ),
  ]
}

/** A command that is killed holds what it has looked at for a minute. */
function heldLine(hidden: number): string {
  return `Another reader, or a command that was killed, holds ${deadLetterCount(hidden)}: type it again in a minute.`
}

/** Some of the plan were not seen, and another reader holds some: they may be the same, and are dealt with once it lets go. */
export function mayBeHeld({ missing, hidden }: LettersReport): boolean {
  return missing > 0 && hidden > 0
}

export const MAY_BE_HELD = 'another reader holds dead letters: try it again in a minute'

/** Lines about the dead letters of a plan that a run has not changed, because it did not see them. */
export function goneLines({ missing, missingLetters, untried }: Unseen): readonly string[] {
  const names = missingLetters.map(({ messageId, uniqueRequestId }) =>
    uniqueRequestId === undefined
      ? `message ${messageId}`
      : `message ${messageId}, uniquerequestid ${uniqueRequestId}`,
  )
  const among =
    names.length > missing
      ? ': they are among these, and earlier runs have dealt with the rest'
      : ''
  return [
    ...(missing > 0
      ? [
          `${missing} of the plan are not on the queue any more, or another reader holds them${among}:`,
          ...listLines(names),
        ]
      : []),
    ...(untried > 0 ? [`${untried} of the plan were not tried: they stay on the queue`] : []),
  ]
}
