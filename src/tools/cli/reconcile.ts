import { createReadStream } from 'node:fs'
import { LedgerError } from '../operator/reconcile/ledger.ts'
import type { ReconcileOptions, ReconcileProgress } from '../operator/reconcile/options.ts'
import { reconcile as check } from '../operator/reconcile/reconcile.ts'
import type { ReconcileReport } from '../operator/reconcile/report.ts'
import type { CliCommand, ExitCode, Io } from './command.ts'
import { csvLedger } from './csvLedger.ts'
import { readCount } from './dlqOptions.ts'
import { isModule, moduleLedger } from './moduleLedger.ts'
import { printJson } from './printJson.ts'
import { printReport } from './printReport.ts'
import type { Progress } from './progress.ts'
import { positionals, readArgs, readDuration } from './readArgs.ts'
import { oneLine } from './table.ts'
import { UsageError } from './usageError.ts'

const TEXT = { type: 'string' } as const
const LIST = { type: 'string', multiple: true } as const
const OPTIONS = {
  consumer: TEXT,
  flow: TEXT,
  ledger: TEXT,
  effect: LIST,
  call: LIST,
  expect: TEXT,
  since: TEXT,
  until: TEXT,
  retention: TEXT,
  lifetime: TEXT,
  most: TEXT,
  rate: TEXT,
  segments: TEXT,
  'id-column': TEXT,
  'count-column': TEXT,
  'effect-column': TEXT,
  'time-column': TEXT,
  separator: TEXT,
} as const

export const reconcile: CliCommand = {
  name: 'reconcile',
  summary: 'check the requests of a consumer or a flow against your own ledger',
  usage: `lineclear reconcile --consumer NAME --ledger FILE [OPTIONS]
lineclear reconcile --flow NAME --ledger FILE [OPTIONS]

  Counts the rows of your ledger by request, and lists what is doubled, lost, unmarked (a row of a request that has not
  completed and has no mark of it) or foreign (a row without a request), by id, the worst first. Changes nothing.
  Reads the whole table (dynamodb:Scan): half a read unit for each 4 KB of the table, other consumers included. The table is
  read before a ledger module, and what looks wrong is read again: the consumer may run meanwhile.

  --ledger FILE        a module (.ts, .js): its default export is a function that yields { id, count?, effect?, at? }, such as
                       the rows of an SQL query; it may also export expect. Otherwise CSV with a header, - for standard input
  --effect NAME        name of a ctx.applyOnce effect that the ledger counts, in a flow STAGE:NAME; may be repeated. With it,
                       requests that have not completed are checked too
  --call NAME          name of an effect that may stand before the table knows it: ctx.once, ctx.sql; may be repeated
  --expect N, N-M      effects that a completed request should have (default: one for each --effect and --call, at least 1)
  --since TIME         the ledger has all rows written since then: 7d (ago), 2026-01-31T12:00Z
  --until TIME         the ledger has all rows written until then. CSV: when its export began (default with --time-column: its
                       newest row)
  --id-column NAME     columns of CSV: the request's uniquerequestid (default id),
  --count-column NAME  how many effects a row stands for (default 1 each),
  --effect-column NAME the name of its effect, if effects are to be counted apart,
  --time-column NAME   when it was written, with a zone. Rows without a time are never called foreign
  --separator C        of CSV: one character, or tab (default ,)
  --retention AGE      of the consumer or flow (default 30d): older rows may belong to forgotten requests
  --lifetime AGE       with --since: longest time from the first to the last attempt of a request (default 1d)
  --most N             list at most N of each kind (default 1000)
  --rate N             read units a second (default 1000)
  --segments N         segments of the table that are read concurrently (default 4)

  Exit code 0: balanced; 1: anomalies; 2: wrong arguments or a wrong row; 3: the table or the ledger failed, and nothing was
  compared; 4: nothing could be checked.`,
  run: async (args, io) => {
    const { values, positionals: given } = readArgs(args, OPTIONS)
    positionals(given, [])
    const steps = showSteps(io)
    const options = await readOptions(values, io)
    try {
      return print(await check({ ...options, onProgress: steps.at }), io)
    } catch (error) {
      return reportFailure(error, io)
    } finally {
      steps.end()
    }
  },
}

type Values = ReturnType<typeof readArgs<typeof OPTIONS>>['values']

async function readOptions(values: Values, io: Io): Promise<ReconcileOptions> {
  const { consumer, flow, effect, call, retention, lifetime } = values
  const now = io.clock.now()
  return {
    table: io.reader(),
    clock: io.clock,
    consumer,
    flow,
    effects: effect,
    calls: call,
    since: readTime('--since', values.since, now),
    until: readTime('--until', values.until, now),
    retention: readDuration('--retention', retention),
    lifetime: readDuration('--lifetime', lifetime),
    expect: readExpect(values.expect),
    most: readCount('--most', values.most),
    rate: readCount('--rate', values.rate),
    segments: readCount('--segments', values.segments),
    ...(await ledgerOf(values, io)),
  }
}

type LedgerPart = Pick<ReconcileOptions, 'ledger' | 'expect' | 'until'>

async function ledgerOf(values: Values, io: Io): Promise<LedgerPart> {
  const { ledger: file } = values
  if (file === undefined) throw new UsageError('expected --ledger FILE, got none')
  if (isModule(file)) return ofModule(file, values)
  const time = values['time-column']
  if (values.until === undefined && time === undefined) {
    throw new UsageError(
      '--until: expected the time at which the export of the CSV began, such as 10m, or --time-column; got neither. ' +
        'Requests that completed after the export would look lost',
    )
  }
  const columns = {
    id: values['id-column'] ?? 'id',
    count: values['count-column'],
    effect: values['effect-column'],
    time,
  }
  const open = (): Io['stdin'] => (file === '-' ? io.stdin : createReadStream(file))
  const ledger = csvLedger(open, columns, readSeparator(values.separator))
  return { ledger, ...(values.until === undefined && { until: 'newest row' }) }
}

async function ofModule(file: string, values: Values): Promise<LedgerPart> {
  const wrong = OF_CSV.find((name) => values[name] !== undefined)
  if (wrong !== undefined) {
    throw new UsageError(`--${wrong}: expected CSV, got the module ${file}`)
  }
  const { ledger, expect } = await moduleLedger(file)
  return { ledger, ...(expect !== undefined && values.expect === undefined && { expect }) }
}

const OF_CSV = ['id-column', 'count-column', 'effect-column', 'time-column', 'separator'] as const

/** So long ago, or a time. */
function readTime(option: string, text: string | undefined, now: number): Date | undefined {
  if (text === undefined) return undefined
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : now - (durationOf(text) ?? Number.NaN)
  const hasZone = !/^\d{4}-/.test(text) || /(Z|[+-]\d\d:?\d\d)$/.test(text)
  if (!Number.isNaN(time) && hasZone) return new Date(time)
  throw new UsageError(
    `${option}: expected how long ago, such as 10m or 7d, or a time such as 2026-01-31T12:00:00Z, got ${JSON.stringify(text)}`,
  )
}

function durationOf(text: string): number | undefined {
  try {
    return readDuration('', text)
  } catch {
    return undefined
  }
}

function readExpect(text: string | undefined): ReconcileOptions['expect'] {
  if (text === undefined) return undefined
  const [, least, most = least] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? []
  if (least !== undefined && Number(least) <= Number(most)) {
    return { least: Number(least), most: Number(most) }
  }
  throw new UsageError(
    `--expect: expected a number or a range, such as 1 or 0-1, got ${JSON.stringify(text)}`,
  )
}

function readSeparator(text = ','): string {
  const separator = text === 'tab' || text === '\\t' ? '\t' : text
  if (separator.length === 1 && !'"\r\n'.includes(separator)) return separator
  throw new UsageError(`--separator: expected one character, or tab, got ${JSON.stringify(text)}`)
}

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
