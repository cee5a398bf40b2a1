import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { Ledger } from '../operator/reconcile/knownRequest.ts'
import type { ReconcileOptions } from '../operator/reconcile/options.ts'
import { loadModule } from './loadModule.ts'

interface LedgerModule {
  readonly ledger: Ledger
  readonly expect: ReconcileOptions['expect']
}

export function isModule(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file)
}

/**
 * Loads a module: its default export is the ledger, and it may export `expect`.
 * @throws ConfigError
 */
export async function moduleLedger(file: string): Promise<LedgerModule> {
  const { default: ledger, expect } = await loadModule('--ledger', file)
  if (typeof ledger !== 'function') {
    throw new ConfigError(
      `--ledger: expected a default export in ${file}: async function* () { yield { id } }; got ${kindOf(ledger)}`,
    )
  }
  return { ledger: ledger as Ledger, expect: expect as ReconcileOptions['expect'] }
}
