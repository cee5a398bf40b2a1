import type { StatusFinding } from '../operator/status/finding.ts'
import type { SearchRow } from '../../library/entries/sweeper/search/searchRow.ts'
import { formatDuration, formatRelative } from '../operator/text/humanTime.ts'
import { duration, flag, plan as planKind, prefix, words } from '../commands/kinds.ts'
import { adviceLines } from '../operator/item/advise.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { currentStatus, findingJson, findingText } from './currentStatus.ts'
import { handoverOf } from './handover.ts'
import { showProgress } from './planProgress.ts'
import { jsonTime, printJson, oneLine, tableLines } from './table.ts'
import { messagesOf } from '../operator/dlq/findQueues.ts'
import type { SourceQueue } from '../operator/status/sourceStatus.ts'

export const status: Command = command({
  words: 'status',
  summary:
    'what is wrong now, the most severe first, each with the next command; then the queues that have messages, and who reads them',
  about: [
    'Looks at the status index of the table, and at every queue of the account and Region: unknown outcomes, dead letters by cause, dead runs, what is stalled or overdue, long waits and runs, many retries, queues without a consumer or whose invocations fail, a backlog that grows, a sweeper that is silent, a throttled table, clocks that are wrong, pauses, open circuits, changes of many that run or have stopped. Receives up to 500 dead letters of each queue and makes them visible again. A queue on which 100 or more wait, or of which nothing shows that it is read, is counted again two seconds later: what grows more slowly is not seen (--watch sees it). While the table of Lineclear itself is throttled, it cannot say so: its metrics do. Lost first attempts and stalled runs are in the index once the search of the sweeper has found them: the last line says when it was last through the table.',
    'Exit code: 0 no problem was found (notes do not count), 1 at least one was, or something could not be read.',
  ],
  arguments: {},
  options: {
    queues: { kind: prefix, help: 'only queues whose names begin with it', page: true },
    noQueues: { kind: flag, help: 'only the table', page: true },
    watch: { kind: flag, help: 'print it again and again, until Ctrl-C' },
    every: { kind: duration, help: 'as often as that', default: '10s', with: 'watch' },
    handover: {
      kind: flag,
      help: 'for the next engineer on call, in Markdown: also what operators did',
      takes: ['queues', 'noQueues', 'since', 'note'],
      page: true,
    },
    since: {
      kind: duration,
      help: 'what operators did since then',
      default: '12h',
      with: 'handover',
      page: true,
    },
    note: {
      kind: words,
      help: 'what to know; without it there is room for one',
      with: 'handover',
    },
    plan: {
      kind: planKind,
      help: 'of this plan of many items only: how much of it is done, and how to continue it',
      takes: [],
      page: true,
    },
  },
  examples: ['status', 'status --queues orders --watch', 'status --handover --since 8h'],
  route: 'overview',
  receives: true,
  run: async ({ queues, noQueues, watch, every, handover, plan, ...more }, io, signal) => {
    if (plan !== undefined) return showProgress(plan, io)
    const names = noQueues ? null : queues
    const depths: Depths = new Map()
    let code = await look(names, io, signal, depths, handover ? more : undefined)
    if (!watch) return code
    while (!signal.aborted) {
      await io.clock.sleep(every, signal)
      if (signal.aborted) break
      if (io.width !== undefined) io.out(CLEAR)
      code = await look(names, io, signal, depths, undefined)
    }
    return code
  },
})

/** Clears a terminal, and moves to its first line (ECMA-48 8.3.39 ED, 8.3.21 CUP). */
const CLEAR = '\u001B[2J\u001B[H'

/**
 * @param prefix null: no queues
 * @param asked a text for the next engineer is asked for
 */
async function look(
  prefix: string | undefined | null,
  io: Io,
  signal: AbortSignal,
  depths: Depths,
  asked: Parameters<typeof handoverOf>[1] | undefined,
): Promise<ExitCode> {
  const report = await currentStatus(prefix, io, signal)
  const { findings, unread, queues, searched, now } = report
  const handover = asked && (await handoverOf(report, asked, io))
  if (io.json) {
    const counts = report.counts.map((count) => ({ ...count, due: jsonTime(count.due) }))
    const found = findings.map(findingJson)
    const searches = searchJson(searched)
    printJson(io, { findings: found, counts, unread, queues, searched: searches, ...handover })
  } else if (handover !== undefined) for (const line of handover.markdown) io.out(line)
  else {
    print(report, io)
    for (const line of queueLines(queues, depths, io.width)) io.out(line)
    for (const { name, visible } of queues) depths.set(name, visible)
    io.out(io.here(searchLine(searched, now)))
  }
  const isFound = findings.some(({ severity }) => severity !== 'note')
  return isFound || unread.length > 0 ? 1 : 0
}

type Searched = Pick<SearchRow, 'last'> | undefined

/** null: it was never searched. undefined: that was not read. */
function searchJson(searched: Searched): object | null | undefined {
  if (searched === undefined) return undefined
  if (searched.last === undefined) return null
  const { begun, ended, looked, found } = searched.last
  return { begun: jsonTime(begun), ended: jsonTime(ended), looked, found }
}

/** Without it an operator does not know whether the index shows all that is lost. */
function searchLine(searched: Searched, now: number): string {
  if (searched === undefined)
    return 'Lost first attempts: when they were searched for was not read.'
  const { last } = searched
  if (last === undefined) {
    return 'Lost first attempts: not searched yet. The sweeper searches for them (dynamodb:Scan), or: lineclear sweep --search --apply'
  }
  const { begun, ended, looked } = last
  return `Lost first attempts: searched ${formatRelative(ended, now)}, ${looked} items in ${formatDuration(ended - begun)}.`
}

function print({ findings, unread, now }: Awaited<ReturnType<typeof currentStatus>>, io: Io): void {
  for (const finding of findings) {
    io.out(headline(finding, now, io))
    const [first = finding.next] = adviceLines(finding.advice.slice(0, 1))
    io.out(`    ${oneLine(io.here(first))}`)
    if (finding.afterwards !== undefined)
      io.out(`    then: ${oneLine(io.here(finding.afterwards))}`)
  }
  for (const each of unread) io.out(`not read: ${oneLine(each)}`)
  const faults = findings.filter(({ severity }) => severity !== 'note').length
  if (faults > 0) return
  const notes = findings.length > 0 ? '; the notes above are not problems' : ''
  const { length } = unread
  io.out(
    length > 0
      ? `${io.style.warn('?')} Not known whether anything is wrong: ${length === 1 ? 'what was not read' : `one of the ${length} that were not read`} may be it${notes}.`
      : `${io.style.good('✔')} No problem found${notes}.`,
  )
  if (!io.local) io.out(METRICS)
}

/** Else an alarm that rings would be taken for a mistake. */
const METRICS =
  'CloudWatch was not read (errors, throttles and durations of functions; age of messages; what SNS could not deliver): an alarm that rings may be right.'

const GLYPHS = { bad: '✖', warn: '!', note: '·' } as const

function headline(finding: StatusFinding, now: number, { style }: Io): string {
  const { severity, kind } = finding
  const paint = severity === 'bad' ? style.bad : severity === 'warn' ? style.warn : style.dim
  return `${paint(`${GLYPHS[severity]} ${kind}`)}  ${oneLine(findingText(finding, now))}`
}

/** Names of queues, and how many messages waited at the last look. */
type Depths = Map<string, number>

const MOST = 10
const HEAD = ['QUEUE', 'WAITING', 'IN FLIGHT', 'DELAYED', 'READ BY']

/** Queues with messages, the fullest first. `(+80)`: so many more than at the last look of a watch. */
function queueLines(
  queues: readonly SourceQueue[],
  depths: Depths,
  width: number | undefined,
): readonly string[] {
  if (queues.length === 0) return []
  const rows = queues
    .toSorted((one, other) => messagesOf(other) - messagesOf(one))
    .slice(0, MOST)
    .map((queue) => [
      queue.name,
      `${queue.visible}${grown(queue.visible, depths.get(queue.name))}`,
      String(queue.inFlight),
      String(queue.delayed),
      queue.readBy,
    ])
  const more = queues.length > MOST ? [`and ${queues.length - MOST} more queues with messages`] : []
  return [...tableLines(HEAD, rows, width), ...more]
}

function grown(now: number, before = now): string {
  if (now === before) return ''
  return now > before ? ` (+${now - before})` : ` (${now - before})`
}
