import type { Store } from '../../../store/store.ts'
import type { Command } from '../item/advise.ts'
import { explainTask } from '../item/explainTask.ts'
import type { Task } from '../item/task.ts'
import { readBrakes, type TaskStatus } from '../../../sweeper/due/listDue.ts'
import { countTasks, type TaskCount } from '../tasks/countTasks.ts'
import { listTasks } from '../tasks/listTasks.ts'
import { formatDuration, formatRelative } from '../text/humanTime.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** Items that are read to describe a status. The numbers come from the keys of the index, and are exact. */
const LOOKED = 200
/** A message is hidden, resent or taken over meanwhile, milliseconds. */
const GRACE = 2 * 60_000
/** An answer that has not come for so long is worth a look, milliseconds. */
const LONG_WAIT = 60 * 60_000
/** So many requests of one consumer that are tried again point to a cause that they share. */
const MANY_RETRIES = 10
/** So does one that has been tried so often. */
const MANY_ATTEMPTS = 4

/**
 * What the table shows to be wrong. Queries of the status index, and at most 200 items of each kind.
 * @throws StoreUnavailableError
 */
export async function tableStatus(store: Store, now: number): Promise<readonly StatusFinding[]> {
  const { holdBack: isHeldBack } = await readBrakes(store)
  const counts = await countTasks(store, { now: now - GRACE, isHeldBack })
  const [parked, active] = await Promise.all([
    firstTasks(store, ['unknown', 'error', 'dead'], now),
    firstTasks(store, ['inProgress', 'dying', 'running', 'awaiting', 'accepted', 'later'], now),
  ])
  const found = counts.flatMap((count) => {
    const tasks = [...parked, ...active].filter(
      ({ of, status }) => of === count.of && status === count.status,
    )
    return findingsOf(count, tasks, now)
  })
  return [...wrongClocks([...parked, ...active], now), ...found]
}

/** What was claimed in the future: every lease and every retry that such a clock has written ends that much later. */
function wrongClocks(tasks: readonly Task[], now: number): readonly StatusFinding[] {
  const ahead = tasks.filter(({ since = now }) => since > now + GRACE)
  return [...Map.groupBy(ahead, ({ of }) => of)].map(([of, all]): StatusFinding => {
    const latest = all.reduce((one, other) => ((other.since ?? 0) > (one.since ?? 0) ? other : one))
    const by = formatDuration((latest.since ?? now) - now)
    return {
      severity: 'warn',
      kind: 'wrong clock',
      of,
      number: all.length,
      atLeast: false,
      since: undefined,
      what: `claimed ${by} in the future: the clock of its function is ahead, or that of this machine is behind`,
      ...nextStep(explainTask(latest)),
    }
  })
}

async function firstTasks(
  store: Store,
  statuses: readonly TaskStatus[],
  now: number,
): Promise<readonly Task[]> {
  const tasks: Task[] = []
  for await (const { task } of listTasks(store, { statuses }, now)) {
    tasks.push(task)
    if (tasks.length === LOOKED) break
  }
  return tasks
}

function findingsOf(
  count: TaskCount,
  tasks: readonly Task[],
  now: number,
): readonly StatusFinding[] {
  const [first] = tasks
  const { status, of, number } = count
  const common = { of, number, atLeast: false, since: oldestOf(tasks), what: first?.why ?? '' }
  switch (status) {
    case 'unknown':
      return [{ ...common, severity: 'bad', kind: 'unknown outcome', ...nextOf(first, count) }]
    case 'error':
      return [{ ...common, severity: 'bad', kind: 'stopped', ...nextOf(first, count) }]
    case 'dead':
      return [{ ...common, severity: 'bad', kind: 'dead', ...nextOf(first, count) }]
    case 'inProgress':
      return [...overdue(count, tasks), ...retrying(count, tasks), ...longRuns(count, tasks, now)]
    case 'running':
      return runs(count, tasks, now)
    case 'awaiting':
      return [...overdue(count, tasks), ...longWaits(count, tasks, now)]
    case 'dying':
    case 'accepted':
    case 'later':
      return overdue(count, tasks)
  }
}

/** One is explained; of many the list comes first. */
function nextOf(first: Task | undefined, { of, status, number }: TaskCount): Next {
  return number === 1 && first !== undefined
    ? nextStep(explainTask(first))
    : list({ consumer: of, status })
}

type Next = ReturnType<typeof nextStep>

function list(options: NonNullable<Command['options']>): Next {
  return nextStep({ action: 'ls', options })
}

/** Lost timeouts, accepted events and delayed messages are the sweeper's work: if they are overdue, it does not run. */
const SWEPT: ReadonlySet<TaskStatus> = new Set(['awaiting', 'accepted', 'later', 'running'])

function overdue(count: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  if (count.overdue === 0) return []
  const { of, status, overdue: number, due } = count
  const swept = SWEPT.has(status)
  const [first] = tasks
  return [
    {
      severity: 'warn',
      kind: 'overdue',
      of,
      number,
      atLeast: false,
      since: due,
      what: swept
        ? `${status}: the sweeper should have continued it`
        : 'its attempt was lost, or its message is gone',
      ...(swept
        ? nextStep({ action: 'sweep', last: ['--apply'] })
        : number === 1 && first !== undefined
          ? nextStep(explainTask(first))
          : list({ consumer: of, status, due: true })),
    },
  ]
}

function retrying(
  { of, number, overdue: late }: TaskCount,
  tasks: readonly Task[],
): readonly StatusFinding[] {
  const often = tasks.find(({ attempt = 0 }) => attempt >= MANY_ATTEMPTS)
  if (number === late || (number - late < MANY_RETRIES && often === undefined)) return []
  const { attempt = 0, why } = often ?? tasks[0] ?? {}
  const spent = attempt >= MANY_ATTEMPTS ? `attempt ${attempt}: ` : ''
  return [
    {
      severity: 'note',
      kind: 'retrying',
      of,
      number: number - late,
      atLeast: false,
      since: undefined,
      what: `${spent}${why ?? 'requests after their first attempt'}`,
      ...list({ consumer: of, status: 'inProgress' }),
    },
  ]
}

/** No function runs for an hour: a lock whose owner may be dead. */
function longRuns(
  { of, number }: TaskCount,
  tasks: readonly Task[],
  now: number,
): readonly StatusFinding[] {
  const long = tasks.filter(
    ({ since = now, leaseUntil }) => since < now - LONG_WAIT && leaseUntil > now,
  )
  const [first] = long
  if (first === undefined) return []
  return [
    {
      severity: 'note',
      kind: 'long run',
      of,
      number: long.length,
      atLeast: number > tasks.length,
      since: oldestOf(long),
      what: `its lease ends ${formatRelative(first.leaseUntil, now)}: is its owner alive?`,
      ...nextStep(explainTask(first)),
    },
  ]
}

/** What the search of the sweeper has moved in the index is overdue there before its time limit: it is stalled. */
function runs(count: TaskCount, tasks: readonly Task[], now: number): readonly StatusFinding[] {
  const late = tasks.filter(({ dueAt = Infinity }) => dueAt < now - GRACE)
  const over = late.filter((task) => isOver(task, now))
  const unread = Math.max(count.overdue - late.length, 0)
  const lost = tasks.filter(
    (task) => !isOver(task, now) && (late.includes(task) || isLate(task.leaseUntil, now)),
  )
  const due = Math.min(...over.map(({ dueAt = Infinity }) => dueAt))
  return [
    ...overdue(
      { ...count, overdue: over.length + unread, due: over.length > 0 ? due : count.due },
      over,
    ),
    ...stalled(count, tasks, lost),
  ]
}

function isLate(leaseUntil: number, now: number): boolean {
  return leaseUntil > 0 && leaseUntil < now - GRACE
}

function isOver({ giveUpAt = 0 }: Task, now: number): boolean {
  return giveUpAt <= now
}

/** A stage should have continued, and no message continues it. */
function stalled(
  { of, number }: TaskCount,
  tasks: readonly Task[],
  lost: readonly Task[],
): readonly StatusFinding[] {
  const [first] = lost
  if (first === undefined) return []
  return [
    {
      severity: 'warn',
      kind: 'stalled',
      of,
      number: lost.length,
      atLeast: number > tasks.length,
      since: Math.min(...lost.map(({ leaseUntil, dueAt = Infinity }) => leaseUntil || dueAt)),
      what: `stage ${first.stages.join(', ')}: its attempt was lost, and no message has taken over`,
      ...nextStep(explainTask(first)),
    },
  ]
}

function longWaits(
  { of, number }: TaskCount,
  tasks: readonly Task[],
  now: number,
): readonly StatusFinding[] {
  const long = tasks.filter(({ since = now }) => since < now - LONG_WAIT)
  const [first] = long
  if (first === undefined) return []
  return [
    {
      severity: 'note',
      kind: 'long wait',
      of,
      number: long.length,
      atLeast: number > tasks.length,
      since: oldestOf(long),
      what: `step ${first.stages.join(', ')}: no answer yet`,
      ...nextStep(explainTask(first)),
    },
  ]
}

function oldestOf(tasks: readonly Task[]): number | undefined {
  const times = tasks.flatMap(({ since }) => since ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}
