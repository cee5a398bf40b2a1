import { type Command, note } from '../item/advise.ts'
import { explainTask, type Task } from '../item/task.ts'
import type { TaskStatus } from '../../../sweeper/due/listDue.ts'
import { causeOf, errorShape } from '../dlq/index.ts'
import type { TaskCount } from '../tasks/listTasks.ts'
import { formatRelative, formatDuration } from '../text/humanTime.ts'
import { causeOfTask } from './letterRecords.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** A message is hidden, resent or taken over meanwhile, milliseconds. */
export const GRACE: number = 2 * 60_000
/** An answer that has not come for so long is worth a look, milliseconds. */
const LONG_WAIT = 60 * 60_000
/** So many requests of one consumer that are tried again point to a cause that they share. */
const MANY_RETRIES = 10
/** So does one that has been tried so often. */
const MANY_ATTEMPTS = 4

/** What is wrong with what one consumer or flow has in one status. */
export function findingsOf(
  count: TaskCount,
  tasks: readonly Task[],
  now: number,
): readonly StatusFinding[] {
  switch (count.status) {
    case 'unknown':
    case 'error':
    case 'dead':
      return byCause(count, tasks)
    case 'inProgress':
      return [
        ...overdue(count, tasks),
        ...throttled(count, tasks),
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
 * What waits for an operator, by what went wrong. Those that were not looked at are counted with the most frequent one.
 */
function byCause(count: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  const { of, number, status } = count
  const groups = [
    ...Map.groupBy(tasks, (task) =>
      JSON.stringify([causeOfTask(task)?.name, task.lettered]),
    ).values(),
  ].toSorted((one, other) => other.length - one.length)
  const unlooked = number - tasks.length
  return (groups.length === 0 ? [[]] : groups).map((group, at): StatusFinding => {
    const [first] = group
    const kind = PARKED[status as keyof typeof PARKED]
    const own = group.length + (at === 0 ? unlooked : 0)
    const cause = first && causeOfTask(first)
    return {
      severity: 'bad',
      kind,
      of,
      number: own,
      atLeast: false,
      since: oldestOf(group),
      newest: newestOf(group),
      what: first?.why ?? '',
      cause,
      ...(kind !== 'unknown outcome' && {
        parked: [{ of, kind, cause: cause?.name, number: own }],
        lettered: first?.lettered === true,
      }),
      ...nextOf(first, { ...count, number: own }),
    }
  })
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

/** A table of the user's. While Lineclear's own is throttled, nothing can be written into it, not even this. */
function throttled({ of, number }: TaskCount, tasks: readonly Task[]): readonly StatusFinding[] {
  const held = tasks.filter(isThrottled)
  const [first] = held
  if (first === undefined) return []
  const calm = note('no attempt is counted. It ends with the load, or when the table may take more')
  const by = first.kind === 'flow' ? { flow: of } : { consumer: of }
  const { next, advice } = nextStep({ action: 'pause', options: { ...by, for: '10m' } })
  const about = { severity: 'warn', kind: 'throttled', of, number: held.length } as const
  const seen = { atLeast: number > tasks.length, since: undefined, what: first.error ?? '' }
  return [{ ...about, ...seen, next, afterwards: calm.text, advice: [...advice, calm] }]
}

function isThrottled({ error = '' }: Task): boolean {
  return error.includes('DynamoDB throttles a table')
}

function retrying(
  { of, number: all, overdue: late }: TaskCount,
  looked: readonly Task[],
): readonly StatusFinding[] {
  const tasks = looked.filter((task) => !isThrottled(task))
  const number = all - (looked.length - tasks.length)
  const often = tasks.find(({ attempt = 0 }) => attempt >= MANY_ATTEMPTS)
  if (number === late || (number - late < MANY_RETRIES && often === undefined)) return []
  const { attempt = 0, why, error = '' } = often ?? tasks[0] ?? {}
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
      cause: causeOf('', errorShape(error)),
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

function newestOf(tasks: readonly Task[]): number | undefined {
  const times = tasks.flatMap(({ since }) => since ?? [])
  return times.length < 2 ? undefined : Math.max(...times)
}

function oldestOf(tasks: readonly Task[]): number | undefined {
  const times = tasks.flatMap(({ since }) => since ?? [])
  return times.length === 0 ? undefined : Math.min(...times)
}

/**
 * Whose clock is wrong: that of this machine, or that of a function whose claims are in the future. Every lease and every retry
 * that such a function has written ends that much later.
 * @param behind how far this machine is behind AWS, by the date of its answers, milliseconds
 * @param more there are tasks that were not looked at
 */
export function wrongClocks(
  tasks: readonly Task[],
  now: number,
  { behind, more }: { readonly behind: number; readonly more: boolean },
): readonly StatusFinding[] {
  const real = now + behind
  const ahead = tasks.filter(({ since = real }) => since > real + GRACE)
  return [
    ...(Math.abs(behind) < GRACE ? [] : [ofThisMachine(behind)]),
    ...[...Map.groupBy(ahead, ({ of }) => of).values()].map((all) => ofFunction(all, real, more)),
  ]
}

const FINDING = { severity: 'warn', kind: 'wrong clock', atLeast: false, since: undefined } as const

function ofThisMachine(behind: number): StatusFinding {
  const by = `${formatDuration(Math.abs(behind))} ${behind > 0 ? 'behind' : 'ahead of'}`
  const set = note('set it first: what is late, overdue or long is computed by it')
  const { next, advice } = nextStep({ action: 'status' })
  const what = `its clock is ${by} that of AWS, so that the times here are wrong by as much`
  const rest = { next, afterwards: set.text, advice: [...advice, set] }
  return { ...FINDING, of: 'this machine', number: 1, what, ...rest }
}

function ofFunction(all: readonly Task[], now: number, atLeast: boolean): StatusFinding {
  const latest = all.reduce((one, other) => ((other.since ?? 0) > (one.since ?? 0) ? other : one))
  const { of, by = 'its function', since = now } = latest
  const time = formatDuration(since - now)
  const what = `claimed ${time} in the future: the clock of ${by} is ahead, by the time of AWS`
  return { ...FINDING, of, number: all.length, atLeast, what, ...nextStep(explainTask(latest)) }
}
