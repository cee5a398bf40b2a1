import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError, messageOf } from '../../errors.ts'
import { kindOf } from '../../kindOf.ts'
import type { Ledger } from '../operator/reconcile/ledger.ts'
import type { ReconcileOptions } from '../operator/reconcile/options.ts'

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
  const { default: ledger, expect } = await load(file)
  if (typeof ledger !== 'function') {
    throw new ConfigError(
      `--ledger: expected a default export in ${file}: async function* () { yield { id } }; got ${kindOf(ledger)}`,
    )
  }
  return { ledger: ledger as Ledger, expect: expect as ReconcileOptions['expect'] }
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const hint = /Unknown file extension/.test(messageOf(error))
      ? '. This Node.js does not run TypeScript: take version 22.18 or later, or a .js file'
      : ''
    throw new ConfigError(
      `--ledger: expected a module that can be loaded; ${messageOf(error)}${hint}`,
    )
  }
}
