import type { LedgerRow } from '../../../src/tools/operator/reconcile/knownRequest.ts'
import { reconcile } from '../../../src/tools/operator/reconcile/reconcile.ts'
import type { ReconcileOptions } from '../../../src/tools/operator/reconcile/options.ts'
import { dynamoDbReader } from '../../../src/tools/operator/aws/tableReader.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import { readRows } from './readRows.ts'

export interface Audit {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
}

type Whose = Pick<ReconcileOptions, 'consumer' | 'flow' | 'effects' | 'expect'>

/**
 * What the shipped `reconcile` says of the table `effects`, read as the ledger of a user.
 * @param fields attributes that count effects
 */
export async function audit(
  cloud: LocalCloud,
  fields: readonly string[],
  whose: Whose,
): Promise<Audit> {
  const { anomalies, verdict } = await reconcile({
    table: dynamoDbReader({ tableName: 'lineclear', client: cloud.dynamodb }),
    ledger: () => ledgerOf(cloud, fields),
    ...whose,
  })
  const names = (isLoss: boolean): readonly string[] =>
    anomalies
      .filter(({ kind }) => (kind === 'lost') === isLoss)
      .map(({ kind, id, request }) => `${kind}: ${id ?? request}`)
  return {
    lost: [...names(true), ...(verdict === 'nothing checked' ? [verdict] : [])],
    doubled: names(false),
  }
}

async function ledgerOf(
  cloud: LocalCloud,
  fields: readonly string[],
): Promise<readonly LedgerRow[]> {
  const rows = await readRows(cloud, 'effects')
  return rows.map((row) => ({
    id: row['id']?.S ?? '',
    count: fields.reduce((sum, field) => sum + Number(row[field]?.N ?? 0), 0),
    at: Date.now(),
  }))
}
