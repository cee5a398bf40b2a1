import { createReadStream } from 'node:fs'
import { LedgerError } from '../operator/reconcile/knownRequest.ts'
import type { ReconcileOptions, ReconcileProgress } from '../operator/reconcile/options.ts'
import { reconcile as check } from '../operator/reconcile/reconcile.ts'
import type { ReconcileReport } from '../operator/reconcile/report.ts'
import { count, duration, durationOf, file, kind, type Kind, name } from '../commands/kinds.ts'
import type { GivenOptions } from '../commands/row.ts'
import { type Command, command, type ExitCode, type Io } from './command.ts'
import { csvLedger } from './csvLedger.ts'
import { isModule, moduleLedger } from './moduleLedger.ts'
import { printJson } from './printJson.ts'
import { printReport } from './printReport.ts'
import type { Progress } from './terminal.ts'
import { optionName } from '../operator/text/commandLine.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

/** So long ago, or a time. */
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

const separatorKind: Kind<string> = kind('C', (text, refuse) => {
  const separator = text === 'tab' || text === '\\t' ? '\t' : text
  return separator.length === 1 && !'"\r\n'.includes(separator)
    ? separator
    : refuse('one character, or tab')
})

const OPTIONS = {
  ledger: {
    kind: file,
    help: 'a module (.ts, .js): its default export is a function that yields { id, count?, effect?, at? }, such as the rows of an SQL query; it may also export expect. Otherwise CSV with a header, - for standard input',
    required: true,
  },
  consumer: { kind: name, help: 'of this consumer' },
  flow: { kind: name, help: 'of this flow' },
  effect: {
    kind: name,
    help: 'name of a ctx.applyOnce effect that the ledger counts, in a flow STAGE:NAME. With it, requests that have not completed are checked too',
    many: true,
  },
  call: { kind: name, help: 'an effect of ctx.once or ctx.sql that the ledger counts', many: true },
  expect: {
    kind: range,
    help: 'effects that a completed request should have (default: one for each --effect and --call, at least 1)',
  },
  since: { kind: time, help: 'the ledger is whole since then: 7d (ago), 2026-01-31T12:00Z' },
  until: {
    kind: time,
    help: 'the ledger has all rows written until then. CSV: when its export began (default with --time-column: its newest row)',
  },
  idColumn: { kind: name, help: "column of CSV: the request's uniquerequestid (default id)" },
  countColumn: { kind: name, help: 'column of CSV: how many effects a row stands for' },
  effectColumn: { kind: name, help: 'column of CSV: the name of the effect of a row' },
  timeColumn: {
    kind: name,
    help: 'column of CSV: when it was written, with a zone. Rows without a time are never called foreign',
  },
  separator: { kind: separatorKind, help: 'of CSV: one character, or tab (default ,)' },
  retention: { kind: duration, help: 'of the consumer or flow (default 30d)' },
  lifetime: {
    kind: duration,
    help: 'with --since: longest time from the first to the last attempt of a request (default 1d)',
  },
  most: { kind: count, help: 'list at most N of each kind (default 1000)' },
  rate: { kind: count, help: 'read units a second (default 1000)' },
  segments: { kind: count, help: 'segments of the table that are read concurrently (default 4)' },
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
    'reconcile --consumer orders --ledger bookings.csv --id-column order_id --time-column booked_at',
  ],
  run: async (given, io) => {
    const steps = showSteps(io)
    const options = await readOptions(given, io)
    try {
      return print(await check({ ...options, onProgress: steps.at }), io)
    } catch (error) {
      return reportFailure(error, io)
    } finally {
      steps.end()
    }
  },
})

type Values = GivenOptions<typeof OPTIONS>

async function readOptions(values: Values, io: Io): Promise<ReconcileOptions> {
  const { consumer, flow, effect, call, retention, lifetime, expect, most, rate, segments } = values
  const now = io.clock.now()
  return {
    table: io.reader(),
    clock: io.clock,
    consumer,
    flow,
    effects: effect.length === 0 ? undefined : effect,
    calls: call.length === 0 ? undefined : call,
    since: dateOf(values.since, now),
    until: dateOf(values.until, now),
    retention,
    lifetime,
    expect,
    most,
    rate,
    segments,
    ...(await ledgerOf(values, io)),
  }
}

function dateOf(given: TimeOrAge | undefined, now: number): Date | undefined {
  return given && new Date('at' in given ? given.at : now - given.ago)
}

type LedgerPart = Pick<ReconcileOptions, 'ledger' | 'expect' | 'until'>

async function ledgerOf(values: Values, io: Io): Promise<LedgerPart> {
  const { ledger: from, timeColumn, until, separator = ',' } = values
  if (isModule(from)) return ofModule(from, values)
  if (until === undefined && timeColumn === undefined) {
    throw new UsageError(
      '--until: expected the time at which the export of the CSV began, such as 10m, or --time-column; got neither. ' +
        'Requests that completed after the export would look lost',
    )
  }
  const columns = {
    id: values.idColumn ?? 'id',
    count: values.countColumn,
    effect: values.effectColumn,
    time: timeColumn,
  }
  const open = (): Io['stdin'] => (from === '-' ? io.stdin : createReadStream(from))
  const ledger = csvLedger(open, columns, separator)
  return { ledger, ...(until === undefined && { until: 'newest row' }) }
}

async function ofModule(from: string, values: Values): Promise<LedgerPart> {
  const wrong = OF_CSV.find((name) => values[name] !== undefined)
  if (wrong !== undefined) {
    throw new UsageError(`${optionName(wrong)}: expected CSV, got the module ${from}`)
  }
  const { ledger, expect } = await moduleLedger(from)
  return { ledger, ...(expect !== undefined && values.expect === undefined && { expect }) }
}

const OF_CSV = ['idColumn', 'countColumn', 'effectColumn', 'timeColumn', 'separator'] as const

function print(report: ReconcileReport, io: Io): ExitCode {
  if (io.json) printJson(io, { ...report })
  else printReport(report, io)
  return EXIT_CODES[report.verdict]
}

const EXIT_CODES = { balanced: 0, anomalies: 1, 'nothing checked': 4 } as const

/** What the ledger itself could not do is told apart from what the table could not. */
function reportFailure(error: unknown, io: Io): ExitCode {
  if (!(error instanceof LedgerError)) throw error
  if (error.cause instanceof UsageError) throw error.cause
  io.err(oneLine(`lineclear: ${error.message}`))
  return 3
}

const STEPS: Readonly<Record<ReconcileProgress['step'], string>> = {
  table: 'items read',
  ledger: 'rows read',
  compare: 'parts of 256 compared',
}

function showSteps(io: Io): { at(progress: ReconcileProgress): void; end(): void } {
  let current: { readonly step: string; readonly progress: Progress } | undefined
  return {
    at({ step, done }) {
      if (current?.step !== step) {
        current?.progress.end()
        current = { step, progress: io.progress(STEPS[step]) }
      }
      current.progress.at(done, step === 'compare' ? 256 : undefined)
    },
    end: () => current?.progress.end(),
  }
}
