import { messageOf } from '../../library/base/errors.ts'
import { listPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import type { Pause } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { ACTIVE, loadItem, readItems } from '../../library/entries/sweeper/due/listDue.ts'
import {
  readSearch,
  SEARCH_KEY,
  type SearchRow,
} from '../../library/entries/sweeper/search/searchRow.ts'
import { sweeperStatus } from '../operator/status/sweeperStatus.ts'
import { listMappings } from '../operator/pause/findMappings.ts'
import { circuitStatus, pauseStatus, operationStatus } from '../operator/status/heldStatus.ts'
import {
  type CountedRecord,
  paceOf,
  type StatusFinding,
  withoutLetter,
  withoutLettered,
  worstFirst,
} from '../operator/status/finding.ts'
import { withClaims } from '../operator/status/claimedBy.ts'
import { joinCauses } from '../operator/status/joinCauses.ts'
import { queueStatus } from '../operator/status/queueStatus.ts'
import type { SourceQueue } from '../operator/status/sourceStatus.ts'
import { type SourcesRead, sourcesRead } from '../operator/status/sourcesRead.ts'
import { type TableStatus, tableStatus } from '../operator/status/tableStatus.ts'
import { GRACE } from '../operator/item/task.ts'
import { formatRelative } from '../operator/text/humanTime.ts'
import type { StoreKey } from '../../library/protocol/store/store.ts'
import type { Io } from './command.ts'
import { lambdaOf } from './pauseOptions.ts'
import { jsonTime } from './table.ts'

interface Found {
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly string[]
  /** Those that have messages. */
  readonly queues: readonly SourceQueue[]
}

/**
 * What is wrong now, the worst first.
 * @param prefix null: no queues
 * @throws when nothing can be read
 */
export async function currentStatus(
  prefix: string | undefined | null,
  io: Io,
  signal: AbortSignal,
): Promise<Status> {
  const sources = sourcesRead()
  const store = io.store()
  const pauses = await sources.read('the pauses', async () => listPauses(store))
  const behind = behindAws(io)
  const now = io.clock.now() + behind
  const open = sources.read('what is open', async () => tableStatus(store, now, behind))
  const [row, table, circuits = [], operations = [], queues] = await Promise.all([
    sources.read('the search for what was lost', async () => ({
      search: readSearch(await loadItem(store, SEARCH_KEY)),
    })),
    open,
    sources.read('the open circuits', async () => circuitStatus(store, now)),
    sources.read('the changes of operators', async () => operationStatus(io.reader(), store, now)),
    prefix === null ? NO_QUEUES : queuesOrWhy(io, { prefix, pauses, open, sources }, signal),
  ])
  if (table === undefined && !queues.listed) throw sources.denied()
  const { findings: ofTable, retrying, claimed, counts, unread } = table ?? NO_TABLE
  const rest = withoutLettered(ofTable, queues.findings)
  const known = [
    ...(queues.whole ? rest.map((each) => withoutLetter(each, now)) : rest),
    ...pauseStatus(pauses ?? [], now),
    ...circuits,
    ...operations,
    ...sweeperStatus(row?.search, now),
    ...queues.findings
      .filter((each) => !isExplained(each, counts))
      .map((each) => withClaims(each, claimed, queues.queues)),
  ]
  return {
    findings: joinCauses(known, retrying, now).toSorted(worstFirst),
    counts,
    unread: [...sources.unread(), ...unread, ...queues.unread],
    queues: queues.queues,
    searched: row && { last: row.search?.last },
    now,
  }
}

/** How far this machine is behind AWS, by the date of the answers so far. What is late would be judged wrong by as much. */
function behindAws(io: Io): number {
  const { systemClockOffset: behind } = io.dynamodb().config
  return Math.abs(behind) < GRACE ? 0 : behind
}

interface Status extends Found, Pick<TableStatus, 'counts'> {
  /** undefined: it was not read whether the table was searched. */
  readonly searched: Pick<SearchRow, 'last'> | undefined
  /** By the clock of AWS, epoch milliseconds. */
  readonly now: number
}

const NO_TABLE: TableStatus = { findings: [], retrying: [], claimed: [], counts: [], unread: [] }

/** Messages that do not go may be those of requests that the table lists: these are tried again. */
function isExplained({ kind, number }: StatusFinding, counts: TableStatus['counts']): boolean {
  if (kind !== 'no progress') return false
  const open = counts.filter(({ status }) => ACTIVE.some((each) => each === status))
  return number <= open.reduce((sum, each) => sum + each.number, 0)
}

interface Queues extends Found {
  readonly whole: boolean
  readonly listed: boolean
}

const NO_QUEUES: Queues = { findings: [], unread: [], whole: false, listed: false, queues: [] }

interface QueuesAsked {
  readonly prefix: string | undefined
  readonly pauses: readonly Pause[] | undefined
  readonly open: Promise<TableStatus | undefined>
  readonly sources: SourcesRead
}

/** Without a permission for SQS the table is still worth a look. */
async function queuesOrWhy(
  io: Io,
  { prefix, pauses, open, sources }: QueuesAsked,
  signal: AbortSignal,
): Promise<Queues> {
  const { clock } = io
  const mappings = async () => listMappings(await lambdaOf(io))
  const readRecords = async (keys: readonly StoreKey[]) =>
    sources.read('the records of dead letters', async () => readItems(io.store(), keys))
  const showsDoubts = open.then(
    (table) => table !== undefined,
    () => false,
  )
  try {
    const { unread, ...found } = await queueStatus(
      { sqs: io.sqs(), readRecords, showsDoubts, clock, mappings, pauses },
      prefix,
      signal,
    )
    return { ...found, listed: true, unread: unread.map(({ name, why }) => `${name} (${why})`) }
  } catch (error) {
    return { ...NO_QUEUES, unread: [`the dead-letter queues (${messageOf(error)})`] }
  }
}

export function findingJson({ lettered: _lettered, ...finding }: StatusFinding): object {
  const { since, newest, records } = finding
  const times = { since: jsonTime(since), newest: jsonTime(newest) }
  return { ...finding, ...times, records: records?.map(recordJson), pace: paceOf(finding) }
}

function recordJson({ name, since, died }: CountedRecord): object {
  return { name, since: jsonTime(since), died: jsonTime(died) }
}

export function findingText(finding: StatusFinding, now: number): string {
  const { of, number, atLeast, what } = finding
  const count = `${number}${atLeast ? ' or more' : ''} of ${of}`
  return [count, timesOf(finding, now), what].filter((part) => part !== '').join('  ')
}

/** Two times that are worth two words, milliseconds. */
const APART = 60_000

function timesOf(finding: StatusFinding, now: number): string {
  const { since, newest = 0 } = finding
  const pace = paceOf(finding)
  return [
    ...(since === undefined ? [] : [`oldest ${formatRelative(since, now)}`]),
    ...(since === undefined || newest - since < APART
      ? []
      : [`newest ${formatRelative(newest, now)}`]),
    ...(pace === '' ? [] : [pace]),
  ].join(', ')
}
