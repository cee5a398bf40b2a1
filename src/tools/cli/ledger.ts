import { createReadStream } from 'node:fs'
import { ConfigError } from '../../library/base/errors.ts'
import { kindOf } from '../../library/base/kindOf.ts'
import { splitLines } from '../operator/log/readLog.ts'
import type { Ledger, LedgerRow } from '../operator/reconcile/knownRequest.ts'
import type { ReconcileOptions } from '../operator/reconcile/options.ts'
import type { Io } from './command.ts'
import { loadModule } from './loadModule.ts'
import { UsageError } from './usageError.ts'

type LedgerPart = Pick<ReconcileOptions, 'ledger' | 'expect'>

/**
 * A module, or a file of JSON lines, which was exported before the table is read.
 * @throws ConfigError
 */
export async function ledgerOf(
  from: string,
  until: object | undefined,
  { stdin }: Pick<Io, 'stdin'>,
): Promise<LedgerPart> {
  if (/\.[cm]?[jt]s$/.test(from)) return moduleLedger(from)
  if (until === undefined) {
    throw new UsageError(
      '--until: expected the time at which the export of the file began, such as 10m; got none. ' +
        'Requests that completed after the export would look lost',
    )
  }
  return { ledger: () => rowsIn(from === '-' ? stdin : createReadStream(from)) }
}

/** Its default export is the ledger, and it may export `expect`. */
async function moduleLedger(file: string): Promise<LedgerPart> {
  const { default: ledger, expect } = await loadModule('--ledger', file)
  if (typeof ledger !== 'function') {
    throw new ConfigError(
      `--ledger: expected a default export in ${file}: async function* () { yield { id } }; got ${kindOf(ledger)}`,
    )
  }
  return { ledger: ledger as Ledger, expect: expect as ReconcileOptions['expect'] }
}

async function* rowsIn(chunks: Io['stdin']): AsyncGenerator<LedgerRow> {
  let number = 0
  try {
    for await (const line of splitLines(chunks)) {
      number += 1
      if (line.trim() !== '') yield JSON.parse(line) as LedgerRow
    }
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new UsageError(
        `--ledger: line ${number}: expected JSON, such as {"id": "order-17"}; ${error.message}`,
      )
    }
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new UsageError(`--ledger: expected a file that can be read, or -; ${error.message}`)
  }
}
