import { type AdvisedCommand, type NextStep, nextStep, note } from '../item/advise.ts'
import { isSilent, SILENCE } from '../item/silence.ts'
import { explainTask, GRACE, type Task } from '../item/task.ts'
import { isIdempotencyKey } from '../../../library/entries/sweeper/address.ts'
import type { TaskStatus } from '../../../library/entries/sweeper/due/listDue.ts'
import { causeOf, errorShape } from '../text/errorShape.ts'
import type { TaskCount } from '../tasks/listTasks.ts'
import { formatRelative, formatDuration } from '../text/humanTime.ts'
import type { DueKey } from '../../../library/protocol/store/store.ts'
import { causeOfTask, recordName } from './letterRecords.ts'
import type { CountedRecord, StatusFinding } from './finding.ts'

/** An answer that has not come for so long is worth a look, milliseconds. */
const LONG_WAIT = 60 * 60_000
/** So many requests of one consumer that are tried again point to a cause that they share. */
const MANY_RETRIES = 10
/** So does one that has been tried so often. */
const MANY_ATTEMPTS = 4

/** @param unlooked those of the index that were counted, and whose items were not read */
export function findingsOf(
  count: TaskCount,
  tasks: readonly Task[],
  unlooked: readonly DueKey[],
  now: number,
): readonly StatusFinding[] {
  switch (count.status) {
    case 'unknown':
    case 'error':
    case 'dead':
      return [...byCause(count, tasks, unlooked.length > 0), ...notRead(count, unlooked)]
    case 'inProgress':
      return [
        ...overdue(count, tasks),
        ...throttled(count, tasks),
        ...silent(count, tasks),
        ...retrying(count, tasks),
        ...longRuns(count, tasks, now),
      ]
    case 'running':
      return [...throttled(count, tasks), ...runs(count, tasks, now)]
    case 'awaiting':
      return [...overdue(count, tasks), ...longWaits(count, tasks, now)]
    case 'dying':
    case 'accepted':
    case 'later':
      return overdue(count, tasks)
  }
}

const PARKED = { unknown: 'unknown outcome', error: 'stopped', dead: 'dead' } as const

/**
 * What waits for an operator, by what went wrong.
 * @param more there are tasks that were not looked at
 */
function byCause(
  { of, status }: TaskCount,
  tasks: readonly Task[],
  more: boolean,
): readonly StatusFinding[] {
  const groups = Map.groupBy(tasks, (task) =>
    JSON.stringify([causeOfTask(task)?.name, task.lettered]),
  )
  return [...groups.values()].flatMap((group): readonly StatusFinding[] => {
    const [first] = group
    if (first === undefined) return []
    return [
      {
        ...parked(status, group.map(recordOf)),
        of,
        atLeast: more,
        since: oldestOf(group),
        newest: newestOf(group),
        what: first.why ?? '',
        cause: causeOfTask(first),
        ...(status !== 'unknown' && { lettered: first.lettered }),
        ...nextOf(first, group.length, { consumer: of, status }),
      },
    ]
  })
}

/** Their causes are not known, and some may be those of dead letters. */
function notRead({ of, status }: TaskCount, keys: readonly DueKey[]): readonly StatusFinding[] {
  if (keys.length === 0) return []
  return [
    {
      ...parked(status, keys.map(recordAt)),
      of,
      atLeast: false,
      since: undefined,
      what: 'why was not read: this lists them',
      ...nextStep({ action: 'ls', options: { consumer: of, status } }),
    },
  ]
}

function parked(
  status: TaskStatus,
  all: readonly CountedRecord[],
): Pick<StatusFinding, 'severity' | 'kind' | 'number' | 'records'> {
  const kind = PARKED[status as keyof typeof PARKED]
  const records = kind === 'unknown outcome' ? {} : { records: all }
  return { severity: 'bad', kind, number: all.length, ...records }
}

/** The index lists what is parked by the time at which it died. */
function recordOf(task: Task): CountedRecord {
  return { name: recordName(task), since: task.since, died: task.dueAt }
}

function recordAt(key: DueKey): CountedRecord {
  return { name: recordName(key), died: key.dueAt }
}

/** One is explained; many are listed. */
function nextOf(
  first: Task | undefined,
  number: number,
  options: NonNullable<AdvisedCommand['options']>,
): NextStep {
  const isOne = number === 1 && first !== undefined
  return nextStep(isOne ? explainTask(first) : { action: 'ls', options })
}

/** Lost timeouts, accepted events and delayed messages are the sweeper's work: if they are overdue, it does not run. */
const SWEPT: ReadonlySet<TaskStatus> = new Set(['awaiting', 'accepted', 'later', 'running'])

function overdue(count: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  if (count.overdue === 0) return []
  const { of, status, overdue: number, due: since } = count
  const about = { severity: 'warn', kind: 'overdue', of, number, atLeast: false, since } as const
  if (SWEPT.has(status)) {
    const what = `${status}: the sweeper should have continued it`
    return [{ ...about, what, ...nextStep({ action: 'sweep', last: ['--apply'] }) }]
  }
  const next = nextOf(tasks[0], number, { consumer: of, status, due: true })
  const what =
    tasks.length >= count.number && tasks.every(isReopened)
      ? 'an operator lets it run again: its dead letter has to be redriven'
      : 'its attempt was lost, or its message is gone'
  return [{ ...about, what, ...next }]
}

const isReopened = ({ lettered, attempt }: Task): boolean => lettered && attempt === 0

type Some = Pick<StatusFinding, 'severity' | 'kind' | 'since'> & Partial<StatusFinding>

/** The finding of `some` of the tasks that were looked at; the first one is explained. Empty: nothing is wrong. */
function found(
  { of, number }: TaskCount,
  looked: readonly Task[],
  some: readonly Task[],
  say: (first: Task) => Some & Pick<StatusFinding, 'what'>,
): readonly StatusFinding[] {
  const [first] = some
  if (first === undefined) return []
  const about = { of, number: some.length, atLeast: number > looked.length }
  return [{ ...about, ...nextStep(explainTask(first)), ...say(first) }]
}

/** A table of the user's. While Lineclear's own is throttled, nothing can be written into it, not even this. */
function throttled(count: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  return found(count, tasks, tasks.filter(isThrottled), (first) => {
    const { kind, pk, error = '' } = first
    const calm = note(
      'no attempt is counted. It ends with the load, or when the table may take more',
    )
    const by = kind === 'flow' ? { flow: count.of } : { consumer: count.of }
    // A function has callers, and no mapping that could be paused.
    const step: AdvisedCommand = isIdempotencyKey(pk)
      ? explainTask(first)
      : { action: 'pause', options: { ...by, for: '10m' } }
    const steps = nextStep(step, [calm])
    return { severity: 'warn', kind: 'throttled', since: undefined, what: error, ...steps }
  })
}

function isThrottled({ error = '' }: Task): boolean {
  return error.includes('DynamoDB throttles a table')
}

/** Fewer may be what a deployment has cut off. */
const SILENT_ATTEMPTS = 3

/** It fails as often as it runs, and nothing else in the table shows it. */
function silent(count: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  return found(count, tasks, tasks.filter(isLongSilent), ({ attempt }) => ({
    severity: 'warn',
    kind: 'retrying',
    since: undefined,
    what: `attempt ${attempt}, and none before it has reported an end: ${SILENCE}`,
  }))
}

function isLongSilent(task: Task): boolean {
  return isSilent(task) && (task.attempt ?? 0) >= SILENT_ATTEMPTS
}

function retrying(
  { of, number: all, overdue: late }: TaskCount,
  looked: readonly Task[],
): readonly StatusFinding[] {
  const tasks = looked.filter((task) => !isThrottled(task) && !isLongSilent(task))
  const number = all - (looked.length - tasks.length) - late
  const often = tasks.find(({ attempt = 0 }) => attempt >= MANY_ATTEMPTS)
  if (number === 0 || (number < MANY_RETRIES && often === undefined)) return []
  const { attempt = 0, why, error = '' } = often ?? tasks[0] ?? {}
  const cause = causeOf('', errorShape(error))
  const isShared = tasks.every(
    (task) => causeOf('', errorShape(task.error ?? ''))?.name === cause?.name,
  )
  const spent = attempt >= MANY_ATTEMPTS ? `attempt ${attempt}: ` : ''
  const others = isShared ? '' : ', and other errors'
  const what = `${spent}${why ?? 'requests after their first attempt'}${others}`
  const about = { severity: 'note', kind: 'retrying', of, number, atLeast: false } as const
  // One that fails at each attempt is looked at, and the others of a group may wait behind it.
  const next = nextStep(
    number === 1 && often !== undefined
      ? { action: 'explain', positionals: { id: often.id } }
      : { action: 'ls', options: { consumer: of, status: 'inProgress' } },
  )
  return [{ ...about, since: undefined, what, ...(isShared && { cause }), ...next }]
}

/** No function runs for an hour: a lock whose owner may be dead. */
function longRuns(count: TaskCount, tasks: readonly Task[], now: number): readonly StatusFinding[] {
  const long = tasks.filter(
    ({ since = now, leaseUntil }) => since < now - LONG_WAIT && leaseUntil > now,
  )
  return found(count, tasks, long, ({ leaseUntil }) => ({
    severity: 'note',
    kind: 'long run',
    since: oldestOf(long),
    what: `its lease ends ${formatRelative(leaseUntil, now)}: is its owner alive?`,
  }))
}

/**
 * What the search of the sweeper has moved in the index is overdue there before its time limit: a stage should have continued, and no
 * message continues it.
 */
function runs(count: TaskCount, tasks: readonly Task[], now: number): readonly StatusFinding[] {
  const late = tasks.filter(({ dueAt = Infinity }) => dueAt < now - GRACE)
  const isOver = ({ giveUpAt = 0 }: Task): boolean => giveUpAt <= now
  const over = late.filter(isOver)
  const unread = Math.max(count.overdue - late.length, 0)
  const lost = tasks.filter(
    (task) => !isOver(task) && (late.includes(task) || isLate(task.leaseUntil, now)),
  )
  const due = over.length > 0 ? Math.min(...over.map(({ dueAt = Infinity }) => dueAt)) : count.due
  return [
    ...overdue({ ...count, overdue: over.length + unread, due }, over),
    ...found(count, tasks, lost, ({ stages }) => ({
      severity: 'warn',
      kind: 'stalled',
      since: Math.min(...lost.map(({ leaseUntil, dueAt = Infinity }) => leaseUntil || dueAt)),
      what: `stage ${stages.join(', ')}: its attempt was lost, and no message has taken over`,
    })),
  ]
}

function isLate(leaseUntil: number, now: number): boolean {
  return leaseUntil > 0 && leaseUntil < now - GRACE
}

function longWaits(
  count: TaskCount,
  tasks: readonly Task[],
  now: number,
): readonly StatusFinding[] {
  const long = tasks.filter(({ since = now }) => since < now - LONG_WAIT)
  return found(count, tasks, long, ({ stages }) => ({
    severity: 'note',
    kind: 'long wait',
    since: oldestOf(long),
    what: `step ${stages.join(', ')}: no answer yet`,
  }))
}

function newestOf(tasks: readonly Task[]): number | undefined {
  const times = tasks.flatMap(({ since }) => since ?? [])
  return times.length < 2 ? undefined : Math.max(...times)
}

function oldestOf(tasks: readonly Task[]): number | undefined {
  const times = tasks.flatMap(({ since }) => since ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * Finds wrong clocks: the clock of this machine, or the clock of a function whose claims are in the future. Every lease and every
 * retry that such a function has written ends that much later.
 * @param now by the clock of AWS
 * @param behind how far this machine is behind it, milliseconds; 0: the difference is none that matters
 * @param more there are tasks that were not looked at
 */
export function wrongClocks(
  tasks: readonly Task[],
  now: number,
  { behind, more }: { readonly behind: number; readonly more: boolean },
): readonly StatusFinding[] {
  const ahead = tasks.filter(({ since = now }) => since > now + GRACE)
  return [
    ...(behind === 0 ? [] : [ofThisMachine(behind)]),
    ...[...Map.groupBy(ahead, ({ of }) => of).values()].map((all) => ofFunction(all, now, more)),
  ]
}

const FINDING = { severity: 'warn', kind: 'wrong clock', atLeast: false, since: undefined } as const

function ofThisMachine(behind: number): StatusFinding {
  const by = `${formatDuration(Math.abs(behind))} ${behind > 0 ? 'behind' : 'ahead of'}`
  const set = note('set it: other commands compute by it what is late, overdue or long')
  const what = `its clock is ${by} that of AWS, by which the times here are`
  const next = nextStep({ action: 'status' }, [set])
  return { ...FINDING, of: 'this machine', number: 1, what, ...next }
}

function ofFunction(all: readonly Task[], now: number, atLeast: boolean): StatusFinding {
  const latest = all.reduce((one, other) => ((other.since ?? 0) > (one.since ?? 0) ? other : one))
  const { of, by = 'its function', since = now } = latest
  const time = formatDuration(since - now)
  const what = `claimed ${time} in the future: the clock of ${by} is ahead, by the time of AWS`
  return { ...FINDING, of, number: all.length, atLeast, what, ...nextStep(explainTask(latest)) }
}
