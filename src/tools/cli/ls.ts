import { listPauses } from '../../sweeper/pause/listPauses.ts'
import { listTasks, type ListedTask } from '../operator/tasks/listTasks.ts'
import type { Place } from '../operator/tasks/openEntries.ts'
import { NEEDS_OPERATOR, TASK_STATUSES, type TaskStatus } from '../../sweeper/due/listDue.ts'
import { formatDuration, formatRelative } from '../operator/text/humanTime.ts'
import { advise } from '../operator/item/advise.ts'
import { explainTask } from '../operator/item/explainTask.ts'
import type { Task } from '../operator/item/task.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { jsonTime } from './printJson.ts'
import { pauseJson, pauseLine } from './pauseReport.ts'
import { printJsonList } from './printJsonList.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { styled } from './style.ts'
import { tableLines } from './table.ts'
import { UsageError } from './usageError.ts'

const TEXT = { type: 'string' } as const
const OPTIONS = {
  flow: TEXT,
  consumer: TEXT,
  stage: TEXT,
  status: { type: 'string', multiple: true },
  older: TEXT,
  due: { type: 'boolean' },
  most: TEXT,
  after: TEXT,
  columns: TEXT,
} as const
const MOST = 100

export const ls: CliCommand = {
  name: 'ls',
  summary: 'list what is open: waiting for an operator, overdue, in progress, delayed',
  usage: `lineclear ls [--flow NAME | --consumer NAME] [--stage NAME] [--status STATUS,…] [--older AGE] [--due] [--most N] [--after PLACE]

  The most severe first: unknown outcomes, dead-lettered and dead, overdue, in progress; in each the longest due first. Reads the
  status index (dynamodb:Query), never the whole table. The index holds lock tokens, awaited steps, delayed messages (later), every
  request and every key of a function after its first attempt, and runs of flows of which a stage needed a second one. Of first
  attempts and other runs it holds those that were lost, once the search of the sweeper has found them: lineclear status says when
  it was last through.

  --flow, --consumer   name of a flow, a consumer or a scope
  --stage              name of an open stage, or of an awaited step
  --status             one or more of ${TASK_STATUSES.join(', ')}
  --older AGE          claimed or first sent at least this long ago: 10m, 2h, 1d
  --due                only what is past its due time
  --most N             list at most N (default ${MOST})
  --after PLACE        continue behind the last line of another listing, which prints the command
  --columns NAMES      only these columns: status, id, stage, attempt, age, due, why`,
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
    const listing = take(
      listTasks(io.store(), filter, now, readPlace(values.after)),
      readMost(values.most),
    )
    return io.json ? listJson(listing, io) : list(listing, readColumns(values.columns), now, io)
  },
}

/** As much of a listing as is shown. */
interface Listing {
  readonly tasks: AsyncGenerator<Task>
  /** After the last task: where another listing continues; undefined: there is no more. */
  next(): Place | undefined
}

function take(listed: AsyncGenerator<ListedTask>, most: number): Listing {
  let last: Place | undefined
  let more = false
  async function* first(): AsyncGenerator<Task> {
    let shown = 0
    for await (const { task, place } of listed) {
      if (shown === most) {
        more = true
        return
      }
      shown += 1
      last = place
      yield task
    }
  }
  return { tasks: first(), next: () => (more ? last : undefined) }
}

async function listJson({ tasks, next }: Listing, io: Io): Promise<ExitCode> {
  const pauses = (await listPauses(io.store())).map(pauseJson)
  await printJsonList(io, 'tasks', map(tasks, jsonOf), () => {
    const after = next()
    return { next: after === undefined ? null : writePlace(after), pauses }
  })
  return 0
}

async function* map<A, B>(source: AsyncGenerator<A>, change: (each: A) => B): AsyncGenerator<B> {
  for await (const each of source) yield change(each)
}

function jsonOf(listed: Task): object {
  const { since, dueAt, leaseUntil, lettered: _lettered, ...task } = listed
  return {
    ...task,
    since: jsonTime(since),
    dueAt: jsonTime(dueAt),
    leaseUntil: leaseUntil === 0 ? undefined : jsonTime(leaseUntil),
    advice: [advise({ command: explainTask(listed) }, { cure: true })],
  }
}

const HEAD = ['STATUS', 'ID', 'STAGE', 'ATTEMPT', 'AGE', 'DUE', 'WHY']
/** Lines are printed by pages, so that the first appear at once and memory does not grow with the listing. */
const PAGE = 100

async function list(
  { tasks, next }: Listing,
  columns: readonly number[],
  now: number,
  io: Io,
): Promise<ExitCode> {
  let shown = 0
  let page: Task[] = []
  const print = (): void => {
    if (page.length === 0) return
    const rows = page.map((task) => pick(cellsOf(task, now), columns))
    const [head = '', ...lines] = tableLines(pick(HEAD, columns), rows, io.width)
    if (shown === 0) io.out(io.style.bold(head))
    for (const [at, line] of lines.entries()) io.out(styleOf(page[at], line, now, io))
    shown += page.length
    page = []
  }
  for await (const task of tasks) {
    page.push(task)
    if (page.length === PAGE) print()
  }
  print()
  if (shown === 0) io.out('Nothing is open, as far as the status index shows.')
  else io.out(endLine(shown, next(), io))
  for (const pause of await listPauses(io.store())) io.out(io.style.warn(pauseLine(pause, now)))
  return 0
}

function styleOf(task: Task | undefined, line: string, now: number, { style }: Io): string {
  return task === undefined ? line : styled(style, severityOf(task, now), task.status, line)
}

function severityOf({ status, dueAt = Infinity }: Task, now: number): 'bad' | 'warn' | 'good' {
  if (status === 'unknown' || status === 'error' || status === 'dead') return 'bad'
  return dueAt <= now ? 'warn' : 'good'
}

const AFTER = / --after[= ]\S+/

function endLine(shown: number, after: Place | undefined, io: Io): string {
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
    [...undoOf(task), ...whyOf(task, now)].join(': '),
  ]
}

function undoOf({ undoes }: Task): readonly string[] {
  return undoes === undefined ? [] : [`undo of ${undoes}`]
}

function whyOf({ status, why, leaseUntil }: Task, now: number): readonly string[] {
  const isParked = NEEDS_OPERATOR.some((each) => each === status)
  const isLost = !isParked && leaseUntil > 0 && leaseUntil <= now
  const lost = isLost
    ? [`its attempt was lost, lease ended ${formatRelative(leaseUntil, now)}`]
    : []
  if (why !== undefined) return [...lost, why]
  return leaseUntil > now ? [`running, lease ends ${formatRelative(leaseUntil, now)}`] : lost
}

function pick(cells: readonly string[], columns: readonly number[]): readonly string[] {
  return columns.map((at) => cells[at] ?? '')
}

function readColumns(text: string | undefined): readonly number[] {
  if (text === undefined) return HEAD.map((_, at) => at)
  return text.split(',').map((name) => {
    const at = HEAD.indexOf(name.trim().toUpperCase())
    if (at >= 0) return at
    throw new UsageError(
      `--columns: expected some of ${HEAD.join(', ').toLowerCase()}; got ${JSON.stringify(name)}`,
    )
  })
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

function readMost(text: string | undefined): number {
  if (text === undefined) return MOST
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw new UsageError(`--most: expected a whole number from 1, got ${JSON.stringify(text)}`)
}

function writePlace({ phase, dueAt, pk, sk }: Place): string {
  return Buffer.from(JSON.stringify([phase, dueAt, pk, sk])).toString('base64url')
}

function readPlace(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined
  const [phase, dueAt, pk, sk] = partsOf(text)
  if (
    typeof phase === 'number' &&
    typeof dueAt === 'number' &&
    typeof pk === 'string' &&
    typeof sk === 'string'
  ) {
    return { phase, dueAt, pk, sk }
  }
  throw new UsageError(
    `--after: expected what the last line of another listing prints, got ${JSON.stringify(text)}`,
  )
}

function partsOf(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
