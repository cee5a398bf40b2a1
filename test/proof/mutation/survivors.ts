import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Mutant, keyOf } from './mutant.ts'

/** Mutants of one file that no test can kill, and why. */
interface Explanation {
  readonly file: string
  readonly reason: string
  readonly mutants: readonly Omit<Mutant, 'file'>[]
}

const FILE = resolve(import.meta.dirname, 'survivors.json')

/** The explained mutants, by key. */
export function explained(): ReadonlyMap<string, Mutant> {
  const explanations: readonly Explanation[] = JSON.parse(readFileSync(FILE, 'utf8'))
  const mutants = explanations.flatMap(({ file, mutants: each }) =>
    each.map((mutant): Mutant => ({ file, ...mutant })),
  )
  return new Map(mutants.map((mutant) => [keyOf(mutant), mutant]))
}
