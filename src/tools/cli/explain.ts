import { operatorActs } from '../operator/audit/listAudit.ts'
import { formatTime } from '../operator/text/humanTime.ts'
import {
  explainRequest as explainShown,
  type Explanation,
  inJson,
} from '../operator/explain/explain.ts'
import {
  tableIdOf,
  type LogEntry,
  type LogReport,
  type LogQuery,
  readLog,
} from '../operator/log/readLog.ts'
import { type StoredRequest, readRequest } from '../operator/explain/readRequest.ts'
import type { TimelineEvent } from '../operator/explain/timelineEvent.ts'
import { findHomeQueues } from '../operator/dlq/destinations.ts'
import { type HomeQueue, NO_HOME } from '../operator/item/task.ts'
import type { Item } from '../../library/protocol/store/store.ts'
import { waterfallOf } from '../operator/explain/waterfallOf.ts'
import { buildTimeline } from '../operator/explain/timeline.ts'
import { duration, flag, id, kind, name, words } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { untilInterrupted } from './interrupt.ts'
import type { SentKey } from './sentKey.ts'
import {
  resolveId,
  notFound,
  SCAN,
  type Scan,
  type FoundItems,
  ID_OPTIONS,
  keyNotFound,
  readSentKey,
  resolveKey,
} from './resolveId.ts'
import { displayId, splitId } from '../operator/text/itemId.ts'
import { listPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import type { Pause } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { listHistory } from './listHistory.ts'
import { pauseJson, pauseLine } from './pauseOptions.ts'
import { showItems } from './showItems.ts'
import { printJson, oneLine, tableLines } from './table.ts'
import { withProgress } from './terminal.ts'
import { adviceLines } from '../operator/item/advise.ts'
import { optionWord } from '../operator/text/commandLine.ts'
import { isoTime } from '../../library/base/time.ts'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { UsageError } from './usageError.ts'

export const explain: Command = command({
  words: 'explain',
  summary: 'one id: its state, what happened, what the next delivery does, which command to type',
  about: [
    '--history lists what operators have changed. Every command with --apply writes a row before it changes anything, and its result afterwards. Rows are kept for 400 days; redrives and changes of many that named ID are found for 15 days. The result begun means that the command was killed, or that the table did not answer.',
  ],
  arguments: {
    id: {
      kind: id,
      help: 'consumer/ID or flow/KEY; with --log or --scan any id, such as a uniquerequestid or an SQS message id; with --history also a queue, function or mapping',
      optional: true,
      page: true,
    },
  },
  options: {
    request: {
      kind: id,
      word: 'UNIQUEREQUESTID',
      help: 'what the flow remembers of this request: why its messages were dropped',
      page: true,
    },
    log: {
      kind: kind('FILE', (text) => text),
      help: 'log of the functions (-: standard input): adds a timeline, and why each message was dropped, which the table does not record. JSON lines, plain or as aws logs tail and filter-log-events print them. Default with --local: the log of the local cloud',
    },
    scan: SCAN,
    ...ID_OPTIONS,
    items: {
      kind: flag,
      help: 'its items as they are in the table, with payloads, answers and results',
      takes: ['scan', ...Object.keys(ID_OPTIONS)],
    },
    history: {
      kind: flag,
      help: 'what operators have changed: of ID; without it of all',
      takes: ['since', 'who', 'action'],
      page: true,
    },
    since: {
      kind: duration,
      help: 'not older than this: 2h, 30d',
      default: '7d',
      with: 'history',
      page: true,
    },
    who: { kind: name, word: 'WHO', help: 'by this operator', with: 'history', page: true },
    action: {
      kind: words,
      word: 'ACTION',
      help: 'only these: decide, dlq redrive, …',
      with: 'history',
      page: true,
    },
  },
  examples: [
    'explain orders/order-17',
    'explain --name refunds --key order-5 --items',
    'explain --history --since 30d --action dlq',
  ],
  route: 'request',
  run: async (typed, io, signal) => {
    if (typed.history) return listHistory(typed, io)
    if (!typed.scan) return explainTyped(typed, signal, io)
    return untilInterrupted(io.interrupt, (stop) => explainTyped(typed, stop, io))
  },
})

type Typed = Parameters<typeof readSentKey>[0] & {
  readonly id: string | undefined
  readonly request: string | undefined
  readonly log: string | undefined
  readonly scan: boolean
  readonly items: boolean
}

async function explainTyped(typed: Typed, signal: AbortSignal, io: Io): Promise<ExitCode> {
  const { id: given, request, scan } = typed
  const file = typed.log ?? io.logFile
  const of = readSentKey(typed, given)
  const how = { scan, signal }
  if (typed.items) return showItems(of, how, io)
  if (typeof of !== 'string') return explainKey(of, { ...how, file }, io)
  const log = file === undefined ? undefined : await readFrom(file, { id: of, request }, io)
  const byLog = log !== undefined && !scan && !of.includes('/')
  const resolved = byLog ? { found: await findByLog(log, io) } : await resolveId(of, how, io)
  const { found, stopped } = resolved
  const sought = byLog ? 'in the log' : scan ? 'whole table' : 'by key'
  if (found.length === 0 && stopped === undefined && !io.json)
    io.err(oneLine(io.here(notFound(of, sought, io))))
  const asked = request ?? (of.includes('/') ? undefined : of)
  const ids = [of, request ?? []].flat()
  return explainFound(resolved, { log, request: asked, ids }, io)
}

async function explainKey(
  sent: SentKey,
  { file, ...how }: Scan & { readonly file: string | undefined },
  io: Io,
): Promise<ExitCode> {
  const resolved = await resolveKey(sent, how, io)
  const {
    found: [first],
    stopped,
  } = resolved
  if (first === undefined && stopped === undefined && !io.json) {
    io.err(oneLine(keyNotFound(sent, how.scan, io)))
  }
  const log =
    first === undefined || file === undefined
      ? undefined
      : await readFrom(file, { id: displayId(first.pk), request: undefined }, io)
  return explainFound(resolved, { log, request: undefined, ids: [] }, io)
}

async function explainFound(
  { found, stopped }: FoundItems,
  { log, request, ids }: Asked,
  io: Io,
): Promise<ExitCode> {
  const now = io.clock.now()
  const asked = { reader: io.reader(), store: io.store(), now, ids }
  const acts = await operatorActs(found, asked)
  const parts = await explainItems(found, request, io)
  const pauses = await pausesOf(found, io)
  const timeline = buildTimeline(log?.entries ?? [], found, acts)
  if (io.json) {
    const facts = parts.map((part) => part.facts)
    printJson(io, {
      explained: parts.map((part) => ({ ...part, facts: inJson(part.facts) })),
      pauses: pauses.map(pauseJson),
      timeline: timeline.map(inJson),
      waterfall: inJson(waterfallOf(timeline, facts, now)),
      log: log && { lines: log.lines, skipped: log.skipped, more: log.more },
      stopped,
    })
  } else {
    for (const part of parts) printPart(part, io)
    for (const each of pauses) io.out(pauseLine(each, io))
    if (log === undefined) for (const act of acts) io.out(oneLine(actLine(act, now)))
    else printTimeline(timeline, log, io)
    const next = parts.length === 0 ? refusedIn(log?.entries ?? [], acts) : undefined
    if (next !== undefined) io.out(oneLine(io.here(next)))
    if (stopped !== undefined) io.err(stopped)
  }
  // @protects a scan that was interrupted does not say that there is no such request
  // @tests test/tools/cli/stopped
  if (stopped !== undefined) return 1
  return parts.length === 0 && timeline.every(({ from }) => from === 'audit') ? 4 : 0
}

function printPart({ title, lines, facts }: Explanation, io: Io): void {
  io.out(oneLine(title))
  const advised = new Set(adviceLines(facts.advice))
  for (const line of lines) io.out(`  ${oneLine(advised.has(line) ? io.here(line) : line)}`)
}

function actLine({ at, what, why }: TimelineEvent, now: number): string {
  return `by an operator, ${formatTime(at ?? now, now)}: ${[what, why ?? []].flat().join(': ')}`
}

interface Asked {
  readonly log: LogReport | undefined
  readonly request: string | undefined
  /** What was typed: it may be named by the audit only. */
  readonly ids: readonly string[]
}

export async function explainItems(
  found: readonly StoredRequest[],
  request: string | undefined,
  io: Io,
): Promise<readonly Explanation[]> {
  const homeQueue = await homeQueueOf(found, io)
  const ids = Map.groupBy(found, ({ pk }) => displayId(pk))
  return found.flatMap((shown) => {
    const isShared = (ids.get(displayId(shown.pk))?.length ?? 0) > 1
    return explainShown(shown, io.clock.now(), { request, homeQueue, isShared, isLocal: io.local })
  })
}

/** The table has nothing of a message that was refused before it was claimed. Its redrive, or the log, names its dead letter. */
function refusedIn(
  entries: readonly LogEntry[],
  acts: readonly TimelineEvent[],
): string | undefined {
  const dead = entries.findLast(({ message }) => message.startsWith('dead-lettered'))
  const redriven = acts.findLast(({ what }) => what.startsWith('dlq redrive '))
  if (redriven !== undefined && (redriven.at ?? 0) >= (dead?.at ?? 0)) {
    return `its redrive: ${redriven.what}. If nothing is under this id, its consumer's option id has given it another one`
  }
  const request = dead?.fields['uniquerequestid']
  if (typeof request !== 'string' || request === '') return undefined
  return `next: lineclear dlq peek ${optionWord('--id', request)}`
}

/** The most table ids to look up. One request may have several consumers. */
const MAX_IDS = 20

/** Looks up a bare id under the table ids that its log lines name. */
async function findByLog({ entries }: LogReport, io: Io): Promise<readonly StoredRequest[]> {
  const ids = new Set(entries.map(tableIdOf).filter((id) => id !== undefined))
  const found = [...ids].slice(0, MAX_IDS).map((id) => readRequest(io.reader(), id))
  return (await Promise.all(found)).flat()
}

/** The queues are listed only for what has a dead letter. They cannot be: the command that is printed looks on all of them. */
async function homeQueueOf(found: readonly StoredRequest[], io: Io): Promise<HomeQueue> {
  const items = found.flatMap(({ items: each }) => each)
  if (!items.some(isDeadLettered)) return NO_HOME
  return findHomeQueues(io.sqs()).catch(() => NO_HOME)
}

function isDeadLettered({ sk, death = 0 }: Item): boolean {
  return Number(death) > 0 || (typeof sk === 'string' && sk.startsWith('dead#'))
}

/** Pauses of the consumer or flow that was found, and those whose names are not known. */
async function pausesOf(found: readonly StoredRequest[], io: Io): Promise<readonly Pause[]> {
  const owners = new Set(
    found.flatMap(({ items }) =>
      items.map(({ pk }) => splitId(typeof pk === 'string' ? pk : '').owner),
    ),
  )
  return (await listPauses(io.store())).filter(({ names: { consumer, flow } }) =>
    consumer === undefined && flow === undefined
      ? owners.size > 0
      : owners.has(consumer ?? '') || owners.has(flow ?? ''),
  )
}

function printTimeline(timeline: readonly TimelineEvent[], log: LogReport, io: Io): void {
  io.out(oneLine(headOf(log)))
  if (timeline.length === 0) return
  const severalRequests = new Set(timeline.map(({ request }) => request)).size > 1
  const head = ['WHEN', 'FROM', 'WHERE', ...(severalRequests ? ['REQUEST'] : []), ...REST]
  const rows = timeline.map(({ at, from, where, request, attempt, what, why }) => [
    at === undefined ? 'unknown' : isoTime(at),
    from,
    where,
    ...(severalRequests ? [request ?? ''] : []),
    attempt === undefined ? '' : String(attempt),
    what,
    why ?? '',
  ])
  for (const line of tableLines(head, rows, io.width)) io.out(line)
}

const REST = ['ATTEMPT', 'WHAT', 'WHY']

function headOf({ entries, lines, skipped, more }: LogReport): string {
  const read = `timeline, with ${entries.length} of ${lines} log lines`
  const unread = skipped === 0 ? '' : `; ${skipped} lines are not log entries, and were skipped`
  return `${read}${unread}${more ? '; more lines match than are shown' : ''}`
}

const PIPED = '-'

async function readFrom(file: string, asked: LogQuery, io: Io): Promise<LogReport> {
  return file === PIPED ? readLog(io.stdin, asked) : readFile(file, asked, io).catch(asUsageError)
}

async function readFile(file: string, asked: LogQuery, io: Io): Promise<LogReport> {
  const { size } = await stat(file)
  let done = 0
  return withProgress(io, 'bytes of the log', async ({ at }) =>
    readLog(createReadStream(file), asked, (bytes) => at((done += bytes), size)),
  )
}

function asUsageError(error: unknown): never {
  if (error instanceof Error && 'syscall' in error) {
    throw new UsageError(`--log: expected a file that can be read, or -; ${error.message}`)
  }
  throw error
}
