import { dynamoDbReader } from '../../src/tools/operator/aws/tableReader.ts'
import type { LocalCloud } from 'lineclear/local'
import type { LedgerAnomaly, ReconcileReport } from '../../src/tools/operator/reconcile/report.ts'
import type { LedgerRow } from '../../src/tools/operator/reconcile/knownRequest.ts'
import { reconcile } from '../../src/tools/operator/reconcile/reconcile.ts'
import type { BothSides, SideName } from './demoCloud.ts'
import { type Entry, PROCESSOR } from './ledger.ts'
import { count } from './numbers.ts'
import { readBooks } from './readBooks.ts'
import { TABLES } from './tables.ts'

/**
 * What `lineclear reconcile` says of a side's ledger. The naive handler keeps no tokens; it was sent the same callbacks as
 * Lineclear, whose table tells which requests there were.
 */
export function auditOf(cloud: LocalCloud, side: SideName): Promise<ReconcileReport> {
  return reconcile({
    table: dynamoDbReader({ tableName: TABLES.lineclear.tokens, client: cloud.dynamodb }),
    consumer: 'ledger',
    effects: ['debit', 'credit'],
    ledger: async () => (await readBooks(cloud, side)).entries.map(rowOf),
  })
}

function rowOf({ transactionId, account }: Entry): LedgerRow {
  return { id: transactionId, effect: account === PROCESSOR ? 'debit' : 'credit' }
}

/** Anomalies by id that fit on a line. */
const MOST_SHOWN = 3

/** The verdict about both ledgers. */
export function auditText({
  naive,
  lineclear,
}: BothSides<{ readonly audit: ReconcileReport }>): string {
  const lines = [
    'lineclear reconcile --consumer ledger --effect debit --effect credit says',
    `  of the naive ledger:  ${said(naive.audit)}`,
    `  of Lineclear's:       ${said(lineclear.audit)}`,
  ]
  return `  ${lines.join('\n  ')}\n`
}

function said({ verdict, right, counts, anomalies }: ReconcileReport): string {
  if (verdict !== 'anomalies') return `${verdict}, ${count(right)} entries`
  const kinds = Object.entries(counts).filter(([, number]) => number > 0)
  const shown = anomalies.slice(0, MOST_SHOWN).map(oneOf)
  const more = anomalies.length > MOST_SHOWN ? ', …' : ''
  return `${kinds.map(([kind, number]) => `${count(number)} ${kind}`).join(', ')}: ${shown.join(', ')}${more}`
}

function oneOf({ id, effect, count: number }: LedgerAnomaly): string {
  return `${effect} of ${id} ${number === 0 ? 'missing' : `${number} times`}`
}
