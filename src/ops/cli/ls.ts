import { listTasks, type TaskFilter } from '../operator/tasks/listTasks.ts'
import { TASK_STATUSES, type TaskStatus } from '../operator/tasks/listDue.ts'
import { formatDuration, formatRelative } from '../operator/text/humanTime.ts'
import type { Task } from '../operator/item/task.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { jsonTime, printJson } from './printJson.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { tableLines } from './table.ts'
import { UsageError } from './usageError.ts'

const OPTIONS = {
  flow: { type: 'string' },
  consumer: { type: 'string' },
  stage: { type: 'string' },
  status: { type: 'string', multiple: true },
  older: { type: 'string' },
  due: { type: 'boolean' },
  most: { type: 'string' },
} as const

export const ls: CliCommand = {
  name: 'ls',
  summary: 'list what is open: in progress, overdue, delayed, or waiting for an operator',
  usage: `lineclear ls [--flow NAME | --consumer NAME] [--stage NAME] [--status STATUS,…] [--older AGE] [--due] [--most N]

  Reads the status index (dynamodb:Query), never the whole table. The index holds keys of functions, flows, awaited steps,
  delayed messages (later) and every request after its first attempt; a request in its first attempt is not in it.

  --flow, --consumer   name of a flow, a consumer or a scope
  --stage              name of an open stage, or of an awaited step
  --status             one or more of ${TASK_STATUSES.join(', ')}
  --older AGE          claimed or first sent at least this long ago: 10m, 2h, 1d
  --due                only what is past its due time
  --most N             list at most N (default 1000)`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    positionals(given, [])
    const now = io.clock.now()
    const filter = {
      of: values.flow ?? values.consumer,
      stage: values.stage,
      statuses: statusesOf(values.status),
      olderThan: readDuration('--older', values.older),
      dueBefore: values.due === true ? now : undefined,
    }
    return list(filter, readMost(values.most), now, io)
  },
}

async function list(filter: TaskFilter, most: number, now: number, io: Io): Promise<ExitCode> {
  const progress = io.progress('read')
  const tasks: Task[] = []
  let more = false
  for await (const task of listTasks(io.store(), filter, now)) {
    if (tasks.length === most) {
      more = true
      break
    }
    tasks.push(task)
    progress.at(tasks.length)
  }
  progress.end()
  // The index is read shard by shard: only what was read can be sorted.
  tasks.sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0))
  if (io.json) printJson(io, { tasks: tasks.map(jsonOf), more })
  else print(tasks, more, now, io)
  return 0
}

function jsonOf({ since, dueAt, leaseUntil, ...task }: Task): object {
  return {
    ...task,
    since: jsonTime(since),
    dueAt: jsonTime(dueAt),
    leaseUntil: leaseUntil === 0 ? undefined : jsonTime(leaseUntil),
  }
}

const HEAD = ['STATUS', 'ID', 'STAGE', 'ATTEMPT', 'AGE', 'DUE', 'WHY']

function print(tasks: readonly Task[], more: boolean, now: number, io: Io): void {
  if (tasks.length === 0) return io.out('Nothing is open, as far as the status index shows.')
  const rows = tasks.map((task) => [
    task.status,
    task.kind === 'dead' ? `${task.id} ${task.uniqueRequestId ?? ''}` : task.id,
    task.stages.join(','),
    task.attempt === undefined ? '' : String(task.attempt),
    task.since === undefined ? '' : formatDuration(Math.max(0, now - task.since)),
    task.dueAt === undefined ? '' : formatRelative(task.dueAt, now),
    [...undoOf(task), ...whyOf(task, now)].join(': '),
  ])
  for (const line of tableLines(HEAD, rows, io.width)) io.out(line)
  io.out(
    more
      ? `${tasks.length} shown; there are more: raise --most, or filter`
      : `${tasks.length} in total`,
  )
}

function undoOf({ undoes }: Task): readonly string[] {
  return undoes === undefined ? [] : [`undo of ${undoes}`]
}

function whyOf({ why, leaseUntil }: Task, now: number): readonly string[] {
  if (why !== undefined) return [why]
  if (leaseUntil === 0) return []
  return leaseUntil > now
    ? [`running, lease ends ${formatRelative(leaseUntil, now)}`]
    : [`its attempt was lost, lease ended ${formatRelative(leaseUntil, now)}`]
}

function statusesOf(given: readonly string[] | undefined): readonly TaskStatus[] | undefined {
  return given
    ?.flatMap((text) => text.split(','))
    .map((name) => {
      const status = TASK_STATUSES.find((each) => each === name.trim())
      if (status !== undefined) return status
      throw new UsageError(
        `--status: expected one or more of ${TASK_STATUSES.join(', ')}; got ${JSON.stringify(name)}`,
      )
    })
}

const MOST = 1_000

function readMost(text: string | undefined): number {
  if (text === undefined) return MOST
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--most: expected a whole number from 1, got ${JSON.stringify(text)}`)
}
