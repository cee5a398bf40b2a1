import type { Clock } from '../../library/base/clock.ts'
import type { Logger } from '../../library/base/logger.ts'
import type { Store } from '../../library/protocol/store/store.ts'
import { searchTable, pageReader } from '../../library/entries/sweeper/search/searchTable.ts'
import { UsageError } from './usageError.ts'
import { NEEDS_OPERATOR, type TaskStatus } from '../../library/entries/sweeper/due/listDue.ts'
import { pausesToEnd } from '../../library/entries/sweeper/pause/listPauses.ts'
import { AHEAD_MS } from '../../library/entries/sweeper/sendDelayed.ts'
import { eachOpenEntry } from '../operator/tasks/openEntries.ts'
import { sweepHandler } from '../../library/entries/sweeper/sweepHandler.ts'
import { printChange, operatorFor } from './change.ts'
import { duration, flag } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { displayId } from '../operator/text/itemId.ts'

export const sweep: Command = command({
  words: 'sweep',
  summary: 'run the sweeper once',
  about: [
    'Sends delayed messages that are due, ends runs past their time limit, queues accepted events, sends lost timeouts again; lists what waits for an operator; ends pauses that are over. Shows how many items are due; --apply sweeps them.',
  ],
  arguments: {},
  options: {
    grace: {
      kind: duration,
      help: 'skip what became due more recently',
      default: '1m',
      page: true,
    },
    search: {
      kind: flag,
      help: 'first read the whole table (dynamodb:Scan) for lost first attempts, stalled runs and runs past their time limit, and list them; the sweeper reads some of it in each run. The cost grows with the table: half a read unit for each 4 KB',
      page: true,
    },
  },
  examples: ['sweep --apply'],
  changes: 'due',
  long: true,
  run: async ({ grace, search }, io, signal) =>
    io.change.apply ? runSweep(grace, search, io, signal) : preview(grace, search, io, signal),
})

async function preview(
  grace: number,
  search: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const now = io.clock.now()
  const progress = io.progress('due')
  const isDue = (status: TaskStatus, dueAt: number): boolean =>
    dueAt <= (status === 'later' ? now + AHEAD_MS : now - grace)
  const pauses = (await pausesToEnd(io.store(), now)).length
  const due = new Map<TaskStatus, number>()
  let read = 0
  for await (const { status, key } of eachOpenEntry(io.store())) {
    progress.at((read += 1))
    if (signal.aborted) break
    if (isDue(status, key.dueAt)) due.set(status, (due.get(status) ?? 0) + 1)
  }
  progress.end()
  const over = pauses === 0 ? [] : [`${pauses} paused, to be resumed`]
  const lines = [...[...due].map(([status, number]) => `${number} ${status}`), ...over]
  const told = { ...SWEEP, lines, facts: { due: Object.fromEntries(due), pauses } }
  if (signal.aborted) {
    const stopped = `Interrupted: ${read} open items were counted, and the others are not known. Nothing was changed.`
    return printChange({ ...told, outcome: 'incomplete', said: stopped }, io)
  }
  const because = due.size === 0 ? NONE : needOperator(due.keys()) ? WAITING : undefined
  if (because !== undefined && pauses === 0 && !search) {
    return printChange({ ...told, outcome: 'nothing', because }, io)
  }
  const said = `Nothing was changed. To ${search ? 'search the table, and sweep' : 'sweep them'}:`
  return printChange({ ...told, outcome: 'planned', said, next: `${io.change.line} --apply` }, io)
}

const SWEEP = { action: 'sweep', id: 'once' }
const NONE = 'nothing is due'
const WAITING =
  'what is due waits for an operator, and a sweep does nothing about it. lineclear ls --due lists it, lineclear explain ID names the command for each'

function needOperator(statuses: Iterable<string>): boolean {
  const needing: readonly string[] = NEEDS_OPERATOR
  return [...statuses].every((status) => needing.includes(status))
}

/** For the audit: it sweeps what is due, whatever that is. */
const NO_PLAN = '-'

async function runSweep(
  grace: number,
  searches: boolean,
  io: Io,
  signal: AbortSignal,
): Promise<ExitCode> {
  const progress = io.progress('swept')
  const { lines, logger } = linesTo(progress.at)
  const client = await io.lambda()
  const lambda = 'why' in client ? undefined : client
  const { clock } = io
  const store = io.store()
  const sweepOnce = async (): Promise<Swept | undefined> => {
    const found = searches ? await searchAll(store, logger, clock, signal) : undefined
    if (signal.aborted) return undefined
    const run = sweepHandler({
      store,
      clients: { sqs: io.sqs() },
      lambda,
      clock,
      grace,
      logger,
      search: false,
    })
    return { ...(await run()), ...(found !== undefined && { found }) }
  }
  const { record } = operatorFor({ ...SWEEP, name: NO_PLAN }, io)
  const report = await record(async () => {
    const swept = await sweepOnce()
    return [swept === undefined ? 'paused' : 'applied', swept]
  })
  progress.end()
  if (report !== undefined) return answerSwept(report, lines, io)
  const next = `${io.change.line} --apply`
  return printChange({ ...SWEEP, lines, outcome: 'paused', said: STOPPED, next }, io)
}

const STOPPED =
  'Paused: the search has listed what is above, and nothing was swept. It begins anew when it is typed again:'

type Swept = Awaited<ReturnType<ReturnType<typeof sweepHandler>>> & { readonly found?: number }

function answerSwept(report: Swept, lines: readonly string[], io: Io): ExitCode {
  const { delayed, ...counts } = report
  const parts = Object.entries(delayed).map(([name, number]) => `${number} ${name}`)
  const all = [
    ...lines,
    ...Object.entries(counts).map(([name, number]) => `${name.padEnd(9)} ${number}`),
    `${'delayed'.padEnd(9)} ${parts.join(', ')}`,
  ]
  const { failed, waiting, overdue, notKnown } = counts
  const left = failed + waiting + overdue + notKnown
  const incomplete = left + delayed.failed + delayed.notKnown > 0
  const told = { ...SWEEP, lines: all, facts: report, incomplete }
  const fails = failed + delayed.failed > 0 ? FAILS : []
  const lists = overdue + waiting > 0 ? LISTS : []
  const said = [ONCE, ...fails, ...lists].join(' ')
  return printChange({ ...told, outcome: 'applied', said }, io)
}

const ONCE =
  'Swept once, by hand: this does not start the sweeper. While lineclear status names it, enable its schedule first, or mend what its log says.'
const FAILS = ['What has failed fails again until the error above is mended.']
const LISTS = [
  'What is overdue or waiting is only listed by a sweep: lineclear ls --due, then lineclear explain ID.',
]

/** Begins a turn of its own, and reads all of it. @throws StoreUnavailableError */
async function searchAll(
  store: Store,
  logger: Logger,
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const readPage = pageReader(store)
  if (readPage === undefined) throw new UsageError('--search: this table cannot be read as a whole')
  const now = (): number => clock.now()
  const limits = { every: 0, readUnits: Infinity, anew: true }
  const { listed } = await searchTable({
    store,
    readPage,
    limits,
    logger,
    now,
    timeIsUp: () => signal.aborted,
  })
  return listed
}

/** Collects the sweeper's log: one line for each group of items that an operator should see. */
function linesTo(at: (done: number) => void): { lines: string[]; logger: Logger } {
  const lines: string[] = []
  const collect = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
    if (message === 'swept') return
    const { pk, mapping, status, error, items } = fields ?? {}
    lines.push(
      [
        typeof pk === 'string' ? displayId(pk) : mapping,
        status,
        message,
        error,
        typeof items === 'number' ? `${items} of its kind` : undefined,
      ]
        .filter((part) => part !== undefined)
        .map(String)
        .join('  '),
    )
    at(lines.length)
  }
  const logger = { debug: collect, info: collect, warn: collect, error: collect }
  return { lines, logger }
}
