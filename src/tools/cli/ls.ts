import { listPauses } from '../../library/entries/sweeper/pause/listPauses.ts'
import { listTasks, type ListedTask } from '../operator/tasks/listTasks.ts'
import type { ListPosition } from '../operator/tasks/openEntries.ts'
import {
  NEEDS_OPERATOR,
  TASK_STATUSES,
  type TaskStatus,
} from '../../library/entries/sweeper/due/listDue.ts'
import { formatDuration, formatRelative } from '../operator/text/humanTime.ts'
import { advise } from '../operator/item/advise.ts'
import { isSilent } from '../operator/item/silence.ts'
import { explainTask, type Task } from '../operator/item/task.ts'
import {
  positiveInteger,
  duration,
  flag,
  type Kind,
  kind,
  name,
  number,
  words,
} from '../commands/kinds.ts'
import { type Command, command, type Io } from './command.ts'
import { countOpen, NOTHING_OPEN } from './countOpen.ts'
import { jsonTime, printJson, tableLines } from './table.ts'
import { pauseJson, pauseLine } from './pauseOptions.ts'
import { styled } from './terminal.ts'

const STATUSES = TASK_STATUSES.join(', ')
const statuses: Kind<readonly TaskStatus[]> = kind(
  'STATUS',
  (text, refuse) =>
    text
      .split(',')
      .map(
        (each) =>
          TASK_STATUSES.find((status) => status === each.trim()) ??
          refuse(`one or more of ${STATUSES}`),
      ),
  words.page,
)

const HEAD = ['STATUS', 'ID', 'STAGE', 'ATTEMPT', 'AGE', 'DUE', 'WHY']

/** Base64url. */
const place: Kind<ListPosition> = kind(
  'PLACE',
  (text, refuse) => readPlace(text) ?? refuse('what the last line of another listing prints'),
  (text) => (/^[\w-]{1,8000}$/.test(text) ? undefined : 'the field next of another listing'),
)

export const ls: Command = command({
  words: 'ls',
  summary: 'what is open: waiting for an operator, overdue, in progress, delayed',
  about: [
    'The most severe first: unknown outcomes, dead-lettered and dead, overdue, in progress; in each the longest due first. Reads the status index (dynamodb:Query), never the whole table. The index holds lock tokens, awaited steps, delayed messages (later), every request and every key of a function after its first attempt, and runs of flows of which a stage needed a second one. Of first attempts and other runs it holds those that were lost, once the search of the sweeper has found them: lineclear status says when it was last through.',
  ],
  arguments: {},
  options: {
    flow: { kind: name, help: 'of this flow', page: true },
    consumer: { kind: name, help: 'of this consumer or name of a key', page: true },
    stage: { kind: name, help: 'with this open stage or awaited step', page: true },
    status: { kind: statuses, help: `one or more of ${STATUSES}`, many: true, page: true },
    older: { kind: duration, help: 'claimed or first sent so long ago: 10m, 2h, 1d', page: true },
    due: { kind: flag, help: 'only what is past its due time', page: true },
    most: {
      kind: positiveInteger,
      help: 'at most so many',
      default: '100',
      page: number(1, 1_000),
    },
    count: {
      kind: flag,
      help: 'only how many, by consumer or flow and status: reads no items, and needs one query for 5,000 entries',
      takes: ['flow', 'consumer'],
    },
    after: {
      kind: place,
      help: 'where another listing ended: its last line prints it',
      page: true,
    },
  },
  examples: ['ls --status unknown,error', 'ls --consumer orders --older 2h', 'ls --count'],
  route: 'tasks',
  run: async (given, io) => {
    const now = io.clock.now()
    const { status } = given
    const of = given.flow ?? given.consumer
    if (given.count) {
      await countOpen(of, io)
      return 0
    }
    const filter = {
      of,
      stage: given.stage,
      statuses: status.length === 0 ? undefined : status.flat(),
      olderThan: given.older,
      dueBefore: given.due ? now : undefined,
    }
    const { tasks, next } = await take(listTasks(io.store(), filter, now, given.after), given.most)
    const pauses = await listPauses(io.store())
    if (io.json) {
      const after = next === undefined ? null : writePlace(next)
      printJson(io, { tasks: tasks.map(jsonOf), next: after, pauses: pauses.map(pauseJson) })
      return 0
    }
    print(tasks, next, now, io)
    for (const pause of pauses) io.out(io.style.warn(pauseLine(pause, io)))
    return 0
  },
})

/** `next`: where another listing continues; undefined: there is no more. */
async function take(listed: AsyncGenerator<ListedTask>, most: number) {
  const tasks: Task[] = []
  let last: ListPosition | undefined
  for await (const { task, entry } of listed) {
    if (tasks.length === most) return { tasks, next: last }
    tasks.push(task)
    last = entry.place
  }
  return { tasks, next: undefined }
}

function jsonOf(listed: Task): object {
  const { since, dueAt, leaseUntil, lettered: _lettered, ...task } = listed
  return {
    ...task,
    since: jsonTime(since),
    dueAt: jsonTime(dueAt),
    leaseUntil: leaseUntil === 0 ? undefined : jsonTime(leaseUntil),
    advice: [advise('', explainTask(listed), { cure: true })],
  }
}

function print(tasks: readonly Task[], next: ListPosition | undefined, now: number, io: Io): void {
  if (tasks.length === 0) {
    io.out(NOTHING_OPEN)
    return
  }
  const rows = tasks.map((task) => cellsOf(task, now))
  const [head = '', ...lines] = tableLines(HEAD, rows, io.width)
  io.out(io.style.bold(head))
  for (const [at, line] of lines.entries()) io.out(styleOf(tasks[at], line, now, io))
  io.out(endLine(tasks.length, next, io))
}

function styleOf(task: Task | undefined, line: string, now: number, { style }: Io): string {
  return task === undefined ? line : styled(style, severityOf(task, now), task.status, line)
}

function severityOf({ status, dueAt = Infinity }: Task, now: number): 'bad' | 'warn' | 'good' {
  if (status === 'unknown' || status === 'error' || status === 'dead') return 'bad'
  return dueAt <= now ? 'warn' : 'good'
}

const AFTER = / --after[= ]\S+/

function endLine(shown: number, after: ListPosition | undefined, io: Io): string {
  if (after === undefined)
    return `${shown} ${AFTER.test(io.change.line) ? 'more, and no others' : 'in total'}`
  const line = io.change.line.replace(AFTER, '')
  return `${shown} shown; there are more: ${line} --after ${writePlace(after)}`
}

function cellsOf(task: Task, now: number): readonly string[] {
  return [
    task.status,
    task.kind === 'dead' ? `${task.id} ${task.uniqueRequestId ?? ''}` : task.id,
    task.stages.join(','),
    task.attempt === undefined ? '' : String(task.attempt),
    task.since === undefined ? '' : formatDuration(Math.max(0, now - task.since)),
    task.dueAt === undefined ? '' : formatRelative(task.dueAt, now),
    whyOf(task, now).join(': '),
  ]
}

function whyOf(task: Task, now: number): readonly string[] {
  const { status, why, leaseUntil } = task
  const isParked = NEEDS_OPERATOR.some((each) => each === status)
  const isLost = !isParked && leaseUntil > 0 && leaseUntil <= now
  const lost = isLost
    ? [`its attempt was lost, lease ended ${formatRelative(leaseUntil, now)}`]
    : []
  if (why !== undefined) return [...lost, why]
  if (leaseUntil <= now) return lost
  const silent = isSilent(task) ? ['no attempt before it has reported an end'] : []
  return [`running, lease ends ${formatRelative(leaseUntil, now)}`, ...silent]
}

function writePlace({ phase, dueAt, pk, sk }: ListPosition): string {
  return Buffer.from(JSON.stringify([phase, dueAt, pk, sk])).toString('base64url')
}

function readPlace(text: string): ListPosition | undefined {
  const [phase, dueAt, pk, sk] = partsOf(text)
  return typeof phase === 'number' &&
    typeof dueAt === 'number' &&
    typeof pk === 'string' &&
    typeof sk === 'string'
    ? { phase, dueAt, pk, sk }
    : undefined
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
