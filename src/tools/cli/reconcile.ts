import { LedgerError } from '../operator/reconcile/knownRequest.ts'
import type { ReconcileOptions, ReconcileProgress } from '../operator/reconcile/options.ts'
import { reconcile as check } from '../operator/reconcile/reconcile.ts'
import type { ReconcileReport, LedgerAnomaly } from '../operator/reconcile/report.ts'
import {
  positiveInteger,
  duration,
  durationOf,
  file,
  kind,
  type Kind,
  name,
} from '../commands/kinds.ts'
import type { GivenOptions } from '../commands/row.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { ledgerOf } from './ledger.ts'
import { printJson, oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

type TimeOrAge = { readonly at: number } | { readonly ago: number }
const time: Kind<TimeOrAge> = kind('TIME', (text, refuse) => {
  const at = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (/^\d{4}-/.test(text) && !Number.isNaN(at)) return { at }
  const ago = durationOf(text)
  return ago === undefined
    ? refuse('how long ago, such as 10m or 7d, or a time such as 2026-01-31T12:00:00Z')
    : { ago }
})

const range: Kind<NonNullable<ReconcileOptions['expect']>> = kind('N, N-M', (text, refuse) => {
  const [, least, most = least] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? []
  return least !== undefined && Number(least) <= Number(most)
    ? { least: Number(least), most: Number(most) }
    : refuse('a number or a range, such as 1 or 0-1')
})

const OPTIONS = {
  ledger: {
    kind: file,
    help: 'a module (.ts, .js): its default export is a function that yields { id, count?, effect?, at? }, such as the rows of an SQL query; it may also export expect. Otherwise JSON lines, each such a row; - for standard input',
    required: true,
  },
  consumer: { kind: name, help: 'of this consumer' },
  flow: { kind: name, help: 'of this flow' },
  effect: {
    kind: name,
    help: 'name of a ctx.write effect that the ledger counts, in a flow STAGE:NAME. With it, requests that have not completed are checked too',
    many: true,
  },
  call: { kind: name, help: 'an effect of ctx.call or ctx.sql that the ledger counts', many: true },
  expect: {
    kind: range,
    help: 'effects that a completed request should have (default: one for each --effect and --call, at least 1)',
  },
  since: { kind: time, help: 'the ledger is whole since then: 7d (ago), 2026-01-31T12:00Z' },
  until: {
    kind: time,
    help: 'the ledger has all rows written until then: when the export of a file began',
  },
  retention: { kind: duration, help: 'of the consumer or flow (default 30d)' },
  lifetime: {
    kind: duration,
    help: 'with --since: longest time from the first to the last attempt of a request (default 1d)',
  },
  most: { kind: positiveInteger, help: 'list at most N of each kind (default 1000)' },
  rate: { kind: positiveInteger, help: 'read units a second (default 1000)' },
} as const

export const reconcile: Command = command({
  words: 'reconcile',
  summary: 'check the requests of a consumer or a flow against your own ledger',
  about: [
    'Counts the rows of your ledger by request, and lists what is doubled, lost, unmarked (a row of a request that has not completed and has no mark of it) or foreign (a row without a request), by id, the worst first. Changes nothing.',
    'Reads the whole table (dynamodb:Scan): half a read unit for each 4 KB of the table, other consumers included. The table is read before a ledger module, and what looks wrong is read again: the consumer may run meanwhile.',
    'Exit code 0: balanced; 1: anomalies; 2: wrong arguments or a wrong row; 3: the table or the ledger failed, and nothing was compared; 4: nothing could be checked.',
  ],
  arguments: {},
  options: OPTIONS,
  examples: [
    'reconcile --consumer orders --effect book --ledger ./ledger.ts',
    'reconcile --consumer orders --ledger bookings.jsonl --until 10m',
  ],
  run: async (given, io) => {
    const steps = showSteps(io)
    const options = await readOptions(given, io)
    try {
      return print(await check({ ...options, onProgress: steps.at }), given, io)
    } catch (error) {
      return reportFailure(error, io)
    } finally {
      steps.end()
    }
  },
})

type Values = GivenOptions<typeof OPTIONS>

async function readOptions(values: Values, io: Io): Promise<ReconcileOptions> {
  const { effect, call, since, until, ledger, expect, ...options } = values
  const now = io.clock.now()
  return {
    ...options,
    table: io.reader(),
    clock: io.clock,
    effects: effect.length === 0 ? undefined : effect,
    calls: call.length === 0 ? undefined : call,
    since: timeOf(since, now),
    until: timeOf(until, now),
    ...(await ledgerOf(ledger, until, io)),
    ...(expect !== undefined && { expect }),
  }
}

function timeOf(given: TimeOrAge | undefined, now: number): number | undefined {
  return given && ('at' in given ? given.at : now - given.ago)
}

function print(report: ReconcileReport, { consumer, flow }: Values, io: Io): ExitCode {
  const name = flow === undefined ? `consumer ${consumer}` : `flow ${flow}`
  if (io.json) printJson(io, { ...report })
  // Ids are never cut, so lines are not fitted to the terminal.
  else for (const line of reportLines(report, name)) io.out(oneLine(line))
  return EXIT_CODES[report.verdict]
}

const EXIT_CODES = { balanced: 0, anomalies: 1, 'nothing checked': 4 } as const

/** A failure of the ledger has words of its own, so that it does not look like a failure of the table. */
function reportFailure(error: unknown, io: Io): ExitCode {
  if (!(error instanceof LedgerError)) throw error
  if (error.cause instanceof UsageError) throw error.cause
  io.err(oneLine(`lineclear: ${error.message}`))
  return 3
}

function showSteps(io: Io) {
  const bars = { table: io.progress('items read'), ledger: io.progress('rows read') }
  return {
    at: ({ step, done }: ReconcileProgress): void => bars[step].at(done),
    end() {
      for (const bar of Object.values(bars)) bar.end()
    },
  }
}

function reportLines(report: ReconcileReport, name: string): readonly string[] {
  const { requests, rows, cost } = report
  // A mistyped name would list each row as foreign.
  const isUnknown = requests === 0 && rows > 0
  return [
    ...(isUnknown ? [`The table has no request of ${name}: is that its name?`] : []),
    verdictOf(report),
    ...(isUnknown ? [] : anomalyLines(report)),
    ...uncheckedLines(report),
    `${some(requests, 'request')} in the table, ${some(rows, 'row')} in the ledger; ${some(cost.looked, 'item')} looked at, ${some(cost.readUnits, 'read unit')}`,
  ]
}

function anomalyLines({ anomalies, counts }: ReconcileReport): readonly string[] {
  const all = Object.values(counts).reduce((sum, number) => sum + number, 0)
  const unlisted = all - anomalies.length
  return [
    ...anomalies.map(anomalyLine),
    ...(unlisted > 0
      ? [`${unlisted} more were not listed, and not read a second time: raise --most`]
      : []),
  ]
}

function verdictOf({ verdict, counts, right }: ReconcileReport): string {
  switch (verdict) {
    case 'balanced':
      return `Balanced: ${right} checked, each has the effects that it should have.`
    case 'nothing checked':
      return 'Nothing could be checked: this is no balance.'
    case 'anomalies': {
      const kinds = Object.entries(counts).filter(([, number]) => number > 0)
      return `${kinds.map(([kind, number]) => `${number} ${kind}`).join(', ')}; ${right} checked without a finding`
    }
  }
}

function anomalyLine({ kind, id, request, effect, count, expected, state }: LedgerAnomaly): string {
  const { least, most } = expected
  const due = least === most ? String(most) : `${least} to ${most}`
  const name = [request ?? id ?? '', effect].filter((part) => part !== undefined).join('  ')
  const own =
    id !== undefined && request !== undefined && !request.endsWith(`/${id}`) ? `  ${id}` : ''
  return `${kind.padEnd(8)}  ${name}${own}  counted ${count}, expected ${due}; ${state ?? 'no request in the table'}`
}

const REASONS: Readonly<Record<keyof ReconcileReport['unchecked'], string>> = {
  late: 'ended, or may have made the effect, after the ledger was complete (--until)',
  early: 'may have made the effect before the ledger begins (--since)',
  outside: 'with rows outside the window',
  forgotten:
    'in the ledger, but not in the table: forgotten after its retention, of another consumer, or with rows without a time',
  idUnknown: 'ended, and the table has only a digest of the id',
  earlierLife: 'may have run before, and was forgotten in between',
}

function uncheckedLines({ unchecked, open, ignoredRows }: ReconcileReport): readonly string[] {
  const reasons = Object.entries(unchecked)
    .filter(([, number]) => number > 0)
    .map(([reason, number]) => `not checked: ${number} ${REASONS[reason as keyof typeof REASONS]}`)
  return [
    ...reasons,
    ...(open > 0 ? [`still open: ${open}`] : []),
    ...(ignoredRows > 0 ? [`${some(ignoredRows, 'row')} of other effects`] : []),
  ]
}

function some(number: number, what: string): string {
  return `${number} ${number === 1 ? what : `${what}s`}`
}
