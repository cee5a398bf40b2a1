import type { LedgerAnomaly, ReconcileReport } from '../operator/reconcile/report.ts'
import type { Io } from './command.ts'
import { oneLine } from './table.ts'

/** The verdict, what is wrong, and what was not checked. Ids are never cut, so lines are not fitted to the terminal. */
export function printReport(report: ReconcileReport, name: string, io: Pick<Io, 'out'>): void {
  for (const line of reportLines(report, name)) io.out(oneLine(line))
}

function reportLines(report: ReconcileReport, name: string): readonly string[] {
  const { requests, rows, cost } = report
  // Of a name that is mistyped each row would be listed as foreign.
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
  const unlisted = sumOf(Object.values(counts)) - anomalies.length
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

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
