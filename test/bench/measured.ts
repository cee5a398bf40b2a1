import type { Effort } from './effort.ts'
import type { Database } from './database/startDatabase.ts'

/** A measurement that can be run alone, by `--only NAME`. */
export interface Part {
  readonly name: string
  /** What its progress line says. */
  readonly title: string
  measure(bench: Bench): Promise<Measured>
}

export interface Bench {
  /** Over TLS: whatever is timed uses it. */
  readonly database: Database
  readonly effort: Effort
  /** For bundles and batches; deleted afterwards. */
  readonly directory: string
}

export interface Measured {
  readonly tables: readonly Table[]
  /** Those that goals are about, by the name in the goal. */
  readonly figures: Figures
}

export type Figures = Readonly<Record<string, number>>
export type Cell = string | number

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}
