import type { Site } from './site.ts'

/** What happened to somebody in production, planted into a site. */
export interface Incident {
  /** In a few words; it may give the cause away. */
  readonly name: string
  /** The public report from which the cause is taken. */
  readonly source: string
  /** What the engineer on call wants to know. */
  readonly question: string
  plant(site: Site): Promise<void>
  /** At most three: commands of `lineclear`, or `log`, the log of the functions. `GROUP` is the first group that was printed. */
  readonly walk: readonly string[]
  /** Words that only the true cause has. All must be printed. */
  readonly cause: readonly RegExp[]
  /** What to do. All must be printed. */
  readonly cure: readonly RegExp[]
  /** The cure as it is typed; each plan is applied. Then `isMended` comes true. */
  readonly carryOut?: {
    readonly commands: readonly string[]
    isMended(site: Site): Promise<boolean>
  }
  /** What would mislead. None may be printed. */
  readonly never: readonly RegExp[]
}
