import { messageOf } from '../../library/base/errors.ts'
import { listPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import type { Pause } from '../../library/entries/sweeper/pause/pauseRow.ts'
import { ACTIVE, loadItem } from '../../library/entries/sweeper/due/listDue.ts'
import {
  readSearch,
  SEARCH_KEY,
  type SearchRow,
} from '../../library/entries/sweeper/search/searchRow.ts'
import { sweeperStatus } from '../operator/status/sweeperStatus.ts'
import { listMappings } from '../operator/pause/findMappings.ts'
import { circuitStatus, pauseStatus, operationStatus } from '../operator/status/heldStatus.ts'
import {
  paceOf,
  type StatusFinding,
  withoutLetter,
  withoutLettered,
  worstFirst,
} from '../operator/status/finding.ts'
import { joinCauses } from '../operator/status/joinCauses.ts'
import { queueStatus } from '../operator/status/queueStatus.ts'
import type { SourceQueue } from '../operator/status/sourceStatus.ts'
import { type TableStatus, tableStatus } from '../operator/status/tableStatus.ts'
import { formatRelative } from '../operator/text/humanTime.ts'
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
 */
export async function currentStatus(
  prefix: string | undefined | null,
  io: Io,
  signal: AbortSignal,
): Promise<
  Found & Pick<TableStatus, 'counts'> & { readonly searched: SearchRow['last'] | undefined }
> {
  const now = io.clock.now()
  const pauses = await listPauses(io.store())
  const [searched, table, circuits, operations, queues] = await Promise.all([
    loadItem(io.store(), SEARCH_KEY),
    tableStatus(io.store(), now, () => io.dynamodb().config.systemClockOffset),
    circuitStatus(io.store(), now),
    operationStatus(io.reader(), io.store(), now),
    prefix === null ? NO_QUEUES : queuesOrWhy(io, { prefix, pauses }, signal),
  ])
  const search = readSearch(searched)
  const rest = withoutLettered(table.findings, queues.findings)
  const known = [
    ...(queues.whole ? rest.map((each) => withoutLetter(each, now)) : rest),
    ...pauseStatus(pauses, now),
    ...circuits,
    ...operations,
    ...sweeperStatus(search, now),
    ...queues.findings.filter((each) => !isExplained(each, table.counts)),
  ]
  const findings = joinCauses(known, table.retrying, now).toSorted(worstFirst)
  const unread = [...table.unread, ...queues.unread]
  return { findings, counts: table.counts, unread, queues: queues.queues, searched: search?.last }
}

/** Messages that do not go may be those of requests that the table lists: these are tried again. */
function isExplained({ kind, number }: StatusFinding, counts: TableStatus['counts']): boolean {
  if (kind !== 'no progress') return false
  const open = counts.filter(({ status }) => ACTIVE.some((each) => each === status))
  return number <= open.reduce((sum, each) => sum + each.number, 0)
}

type Queues = Found & { readonly whole: boolean }

const NO_QUEUES: Queues = { findings: [], unread: [], whole: false, queues: [] }

/** Without a permission for SQS the table is still worth a look. */
async function queuesOrWhy(
  io: Io,
  { prefix, pauses }: { readonly prefix: string | undefined; readonly pauses: readonly Pause[] },
  signal: AbortSignal,
): Promise<Queues> {
  const mappings = async () => listMappings(await lambdaOf(io))
  try {
    const { unread, ...found } = await queueStatus(
      { sqs: io.sqs(), store: io.store(), clock: io.clock, mappings, pauses },
      prefix,
      signal,
    )
    return { ...found, unread: unread.map(({ name, why }) => `${name} (${why})`) }
  } catch (error) {
    return { ...NO_QUEUES, unread: [`the dead-letter queues (${messageOf(error)})`] }
  }
}

export function findingJson({ lettered: _lettered, ...finding }: StatusFinding): object {
  const { since, newest } = finding
  return { ...finding, since: jsonTime(since), newest: jsonTime(newest), pace: paceOf(finding) }
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
