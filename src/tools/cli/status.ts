import { messageOf } from '../../base/errors.ts'
import {
  paceOf,
  type StatusFinding,
  withoutLetter,
  withoutLettered,
  worstFirst,
} from '../operator/status/finding.ts'
import { joinCauses } from '../operator/status/joinCauses.ts'
import { brakeStatus } from '../operator/status/brakeStatus.ts'
import { operationStatus } from '../operator/status/operationStatus.ts'
import { pauseStatus } from '../operator/status/pauseStatus.ts'
import { queueStatus } from '../operator/status/queueStatus.ts'
import { tableStatus } from '../operator/status/tableStatus.ts'
import type { SourceQueue } from '../operator/status/sourceStatus.ts'
import { listMappings } from '../operator/pause/findMappings.ts'
import { listPauses } from '../../sweeper/pause/listPauses.ts'
import type { Pause } from '../../sweeper/pause/pauseRow.ts'
import { loadItem } from '../../sweeper/due/listDue.ts'
import { readSearch, SEARCH_KEY, type SearchRow } from '../../sweeper/search/searchRow.ts'
import { formatDuration, formatRelative } from '../operator/text/humanTime.ts'
import { duration, flag, prefix } from '../commands/kinds.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { lambdaOf } from './pauseReport.ts'
import { type Depths, queueLines } from './queueTable.ts'
import { untilInterrupted } from './interrupt.ts'
import { jsonTime, printJson } from './printJson.ts'
import { oneLine } from './table.ts'

export const status: Command = command({
  words: 'status',
  summary:
    'what is wrong now, the most severe first, each with the next command; then the queues that have messages, and who reads them',
  about: [
    'Looks at the status index of the table, and at every queue of the account and Region: unknown outcomes, dead letters by cause, dead runs, what is stalled or overdue, long waits and runs, many retries, queues without a consumer, pauses, brakes, changes of many that run or have stopped. Receives up to 100 dead letters of each queue and makes them visible again. Lost first attempts and stalled runs are in the index once the search of the sweeper has found them: the last line says when it was last through the table.',
    'Exit code: 0 no problem was found (notes do not count), 1 at least one was, or something could not be read.',
  ],
  arguments: {},
  options: {
    queues: { kind: prefix, help: 'only queues whose names begin with it', page: true },
    noQueues: { kind: flag, help: 'only the table', page: true },
    watch: { kind: flag, help: 'print it again and again, until Ctrl-C' },
    every: { kind: duration, help: 'with --watch: as often as that', default: '10s' },
  },
  examples: ['status', 'status --queues orders --watch'],
  route: 'overview',
  receives: true,
  run: async ({ queues, noQueues, watch, every }, io) => {
    const names = noQueues ? null : queues
    return untilInterrupted(io.interrupt, async (signal) => {
      const depths: Depths = new Map()
      let code = await look(names, io, signal, depths)
      if (!watch) return code
      while (!signal.aborted) {
        await io.clock.sleep(every, signal)
        if (signal.aborted) break
        if (io.width !== undefined) io.out(CLEAR)
        code = await look(names, io, signal, depths)
      }
      return code
    })
  },
})

/** Clears a terminal, and moves to its first line (ECMA-48 8.3.39 ED, 8.3.21 CUP). */
const CLEAR = '\u001B[2J\u001B[H'

interface Report {
  readonly findings: readonly StatusFinding[]
  /** What could not be looked at, and why. */
  readonly unread: readonly string[]
}

interface Queues extends Report {
  readonly whole: boolean
  readonly queues: readonly SourceQueue[]
}

/** @param prefix null: no queues */
async function look(
  prefix: string | undefined | null,
  io: Io,
  signal: AbortSignal,
  depths: Depths,
): Promise<ExitCode> {
  const pauses = await listPauses(io.store())
  const [table, brakes, operations, searched, queues] = await Promise.all([
    tableStatus(io.store(), io.clock.now()),
    brakeStatus(io.store(), io.clock.now()),
    operationStatus(io.reader(), io.store(), io.clock.now()),
    loadItem(io.store(), SEARCH_KEY),
    prefix === null ? NO_QUEUES : queuesOrWhy(io, { prefix, pauses }, signal),
  ])
  const rest = withoutLettered(table.findings, queues.findings)
  const known = [
    ...(queues.whole ? rest.map(withoutLetter) : rest),
    ...pauseStatus(pauses, io.clock.now()),
    ...brakes,
    ...operations,
    ...queues.findings,
  ]
  const findings = joinCauses(known, table.retrying, io.clock.now()).toSorted(worstFirst)
  const report = { findings, unread: queues.unread }
  const { last } = readSearch(searched) ?? {}
  if (io.json) {
    const found = findings.map(jsonOf)
    printJson(io, { ...report, findings: found, queues: queues.queues, searched: searchJson(last) })
  } else {
    print(report, io)
    for (const line of queueLines(queues.queues, depths, io.width)) io.out(line)
    for (const { name, visible } of queues.queues) depths.set(name, visible)
    io.out(searchLine(last, io.clock.now()))
  }
  const isFound = findings.some(({ severity }) => severity !== 'note')
  return isFound || report.unread.length > 0 ? 1 : 0
}

type LastTurn = SearchRow['last']

function searchJson(last: LastTurn): object | null {
  if (last === undefined) return null
  const { begun, ended, looked, found } = last
  return { begun: jsonTime(begun), ended: jsonTime(ended), looked, found }
}

/** Without it an operator cannot tell whether the index shows all that is lost. */
function searchLine(last: LastTurn, now: number): string {
  if (last === undefined) {
    return 'Lost first attempts: not searched yet. The sweeper searches for them (dynamodb:Scan), or: lineclear sweep --search --apply'
  }
  const { begun, ended, looked } = last
  return `Lost first attempts: searched ${formatRelative(ended, now)}, ${looked} items in ${formatDuration(ended - begun)}.`
}

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
      { sqs: io.sqs(), store: io.store(), mappings, pauses },
      prefix,
      signal,
    )
    return { ...found, unread: unread.map(({ name, why }) => `${name} (${why})`) }
  } catch (error) {
    return { ...NO_QUEUES, unread: [`the dead-letter queues (${messageOf(error)})`] }
  }
}

function jsonOf({ lettered: _lettered, ...finding }: StatusFinding): object {
  const { since, newest } = finding
  return { ...finding, since: jsonTime(since), newest: jsonTime(newest), pace: paceOf(finding) }
}

function print({ findings, unread }: Report, io: Io): void {
  const now = io.clock.now()
  for (const finding of findings) {
    io.out(headline(finding, now, io))
    io.out(`    next: ${oneLine(finding.next)}`)
    if (finding.afterwards !== undefined) io.out(`    then: ${oneLine(finding.afterwards)}`)
  }
  for (const each of unread) io.out(`not read: ${oneLine(each)}`)
  const faults = findings.filter(({ severity }) => severity !== 'note').length
  if (faults > 0) return
  const notes = findings.length > 0 ? '; the notes above are not problems' : ''
  io.out(
    unread.length > 0
      ? `${io.style.warn('!')} No problem in what could be read${notes}.`
      : `${io.style.good('✔')} No problem found${notes}.`,
  )
}

/** A glyph and a word beside the colour. */
const GLYPHS = { bad: '✖', warn: '!', note: '·' } as const

function headline(finding: StatusFinding, now: number, { style }: Io): string {
  const { severity, kind, of, number, atLeast, what } = finding
  const paint = severity === 'bad' ? style.bad : severity === 'warn' ? style.warn : style.dim
  const count = `${number}${atLeast ? ' or more' : ''}`
  const times = timesOf(finding, now)
  const rest = [
    `${count} of ${of}`,
    ...(times === '' ? [] : [times]),
    ...(what === '' ? [] : [what]),
  ]
  return `${paint(`${GLYPHS[severity]} ${kind}`)}  ${oneLine(rest.join('  '))}`
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
