import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Check, PROMISES, REASONS } from './checks.ts'
import { leaveOut, type Mutant } from './leaveOut.ts'
import { treeOf } from './moduleOf.ts'

type Module = Check['module']

/**
 * What TLC finds without each condition: the promise that breaks first, and the search that shows it; or the searches that reach other
 * states; or what implies the condition, so that it decides nothing, and why.
 */
export const CONDITIONS = JSON.parse(
  readFileSync(resolve(import.meta.dirname, 'conditions.json'), 'utf8'),
) as Readonly<Record<Module, Readonly<Record<string, string>>>>

/** Begins the search, counts for the promises, or happens around the workers. */
const UNCOUNTED: Readonly<Record<Module, readonly string[]>> = {
  Token: ['Init', 'Makes', 'Tells', 'IsAlive', 'LeaseEnds', 'RetryIsDue', 'Forget', 'Rest'],
  Stage: ['Init', 'LeaseEnds', 'Reset', 'Rest'],
}

export function mutantsOf(module: Module): Mutant[] {
  return leaveOut(treeOf(module), [...UNCOUNTED[module], ...PROMISES[module], ...REASONS[module]])
}
