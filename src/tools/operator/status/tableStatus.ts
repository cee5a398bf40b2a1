import type { Store, StoreKey } from '../../../library/protocol/store/store.ts'
import {
  ACTIVE,
  NEEDS_OPERATOR,
  readCircuits,
  SCHEDULED,
  type TaskStatus,
} from '../../../library/entries/sweeper/due/listDue.ts'
import { causeOf, errorShape } from '../text/errorShape.ts'
import { newTally, ownerOf, type TaskCount, describeEntries } from '../tasks/listTasks.ts'
import { type Entry, readOpen } from '../tasks/openEntries.ts'
import { type Claimed, claimedOf } from './claimedBy.ts'
import type { StatusFinding } from './finding.ts'
import { commandText } from '../item/advise.ts'
import { GRACE, type Task } from '../item/task.ts'
import { wrongClocks, findingsOf } from './tableFindings.ts'

/** Entries of the index that are read of each shard: a status with more says "or more". */
const COUNTED = 100
/** Items that are read to describe what waits for an operator, and as many of what is active. */
const LOOKED = 50

export interface Retrying {
  /** The error without what differs between requests. */
  readonly error: string
  readonly number: number
}

export interface TableStatus {
  readonly findings: readonly StatusFinding[]
  readonly retrying: readonly Retrying[]
  readonly claimed: readonly Claimed[]
  /** What is open, as far as it was read. */
  readonly counts: readonly OpenCount[]
  /** What was not counted, such as whose. */
  readonly unread: readonly string[]
}

/** `atLeast`: there may be more than `number`. */
type OpenCount = TaskCount & { readonly atLeast: boolean }

/**
 * What the table shows to be wrong: some queries of the status index and some items, however much the table holds.
 * @param now by the clock of AWS
 * @param behind see `wrongClocks`
 * @throws StoreUnavailableError
 */
export async function tableStatus(store: Store, now: number, behind = 0): Promise<TableStatus> {
  const [{ holdBack: isHeldBack }, open] = await Promise.all([
    readCircuits(store),
    readOpen(store, COUNTED),
  ])
  const of = (statuses: readonly TaskStatus[]) =>
    sampleOf(statuses.flatMap((status) => open.get(status)?.entries ?? []))
  const sample = [...of(NEEDS_OPERATOR), ...of([...ACTIVE, ...SCHEDULED])]
  const tasks = await describeEntries(store, sample, now)
  const looked = new Set(sample.map(({ key }) => key))
  const seen = new Set(tasks.map(placeOf))
  const groups = groupsOf([...open.values()].flatMap(({ entries }) => entries))
  const listed = groups.map((group) => withoutEnded(group, looked, seen))
  const tally = newTally({ now: now - GRACE, isHeldBack })
  for (const { entries } of listed) for (const entry of entries) tally.add(entry)
  const counts = tally.counts().map((count): OpenCount => ({
    ...count,
    atLeast: open.get(count.status)?.more === true,
  }))
  const found = counts.flatMap(({ atLeast, ...count }) => {
    const own = tasks.filter((task) => task.of === count.of && task.status === count.status)
    const unlooked = (open.get(count.status)?.entries ?? []).flatMap(({ key }) =>
      looked.has(key) || ownerOf(key) !== count.of ? [] : key,
    )
    return findingsOf(count, own, unlooked, now).map((each) => ({
      ...each,
      atLeast: each.atLeast || atLeast,
    }))
  })
  const more = counts.reduce((sum, { number }) => sum + number, 0) > tasks.length
  const findings = [...wrongClocks(tasks, now, { behind, more }), ...found]
  // The longest due ones are read: a consumer all of whose requests came later has no count at all.
  const unread = NEEDS_OPERATOR.filter((status) => open.get(status)?.more === true).map(
    (status) =>
      `all that is ${status}: further consumers may have some (lineclear ls --count counts all)`,
  )
  const doubtful = listed.flatMap((each) => each.unread)
  return {
    findings,
    retrying: retryingNow(tasks),
    claimed: claimedOf(tasks),
    counts,
    unread: [...unread, ...doubtful],
  }
}

/** Each of one owner and one status. */
function groupsOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  return [...Map.groupBy(entries, ({ status, key }) => `${status} ${ownerOf(key)}`).values()]
}

/**
 * What has ended before the index has forgotten it is not open. If that shows for some, those that were not read are not counted: the
 * index alone does not say of them that they are.
 */
function withoutEnded(
  group: readonly Entry[],
  looked: ReadonlySet<StoreKey>,
  seen: ReadonlySet<string>,
): { readonly entries: readonly Entry[]; readonly unread: readonly string[] } {
  const [first] = group
  const read = group.filter(({ key }) => looked.has(key))
  const entries = read.filter(({ key }) => seen.has(placeOf(key)))
  const ended = read.length - entries.length
  if (first === undefined || ended === 0) return { entries: group, unread: [] }
  const left = group.length - read.length
  if (left === 0) return { entries, unread: [] }
  const [{ status }, of] = [first, ownerOf(first.key)]
  const list = commandText({ action: 'ls', options: { consumer: of, status } })
  return {
    entries,
    unread: [
      `${left} of ${of} that the index lists as ${status} (${ended} of ${read.length} that were read have ended: ${list} reads all)`,
    ],
  }
}

function placeOf({ pk, sk }: StoreKey): string {
  return JSON.stringify([pk, sk])
}

/** The first and the last ones of each owner and status, so that none of them hides the others. */
function sampleOf(entries: readonly Entry[]): readonly Entry[] {
  const groups = groupsOf(entries)
  const most = Math.max(1, Math.floor(LOOKED / Math.max(1, groups.length)))
  return groups.flatMap((group) => (group.length <= most ? group : endsOf(group, most)))
}

function endsOf<Each>(group: readonly Each[], most: number): readonly Each[] {
  const last = Math.floor(most / 2)
  return [...group.slice(0, most - last), ...group.slice(group.length - last)]
}

function retryingNow(tasks: readonly Task[]): readonly Retrying[] {
  const errors = tasks
    .filter(({ status }) => status === 'inProgress' || status === 'running')
    .flatMap(({ error = '' }) => causeOf('', errorShape(error))?.error ?? [])
  return [...Map.groupBy(errors, (error) => error)].map(([error, { length: number }]) => ({
    error,
    number,
  }))
}
