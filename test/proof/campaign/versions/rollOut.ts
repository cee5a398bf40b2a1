import { join } from 'node:path'
import { randomOf } from '../plan.ts'
import { EARLIER } from './earlier.ts'
import type { Version } from './version.ts'

type Call = (...args: never[]) => unknown

/** The version before and the present one, deployed in turn: all old, mixed, all new, mixed, all old, and so on. */
export interface RollOut {
  readonly versions: readonly Version[]
  /** One function, from those of each version: each call goes to the version whose turn it is. */
  inTurn<One extends Call>(functions: readonly One[]): One
  /** What a file of the examples exports, from both versions in turn. */
  exports<Exports extends object>(path: string, present: Exports): Promise<Exports>
  /** Which version runs next. */
  next(): number
  /** From now on only this one runs; undefined: in turn again. */
  settleOn(version: number | undefined): void
  /** How many invocations each version had, by the kind of phase. */
  readonly counts: Readonly<Record<string, number>>
}

const PHASES = ['old', 'mixed', 'new', 'mixed'] as const

/** @param every a phase lasts so many invocations */
export function openRollOut(versions: readonly Version[], seed: number, every: number): RollOut {
  const random = randomOf(seed)
  const counts: Record<string, number> = {}
  let invocations = 0
  let settled: number | undefined
  const next = (): number => {
    const phase = PHASES[Math.floor((invocations += 1) / every) % PHASES.length] ?? 'mixed'
    const drawn = random() < 0.5 ? 0 : 1
    const version = settled ?? { old: 0, mixed: drawn, new: 1 }[phase]
    const name = `${version === 0 ? 'old' : 'new'}, ${settled === undefined ? phase : 'alone'}`
    counts[name] = (counts[name] ?? 0) + 1
    return version
  }
  const inTurn = <One extends Call>(functions: readonly One[]): One =>
    ((...args: never[]) => {
      const one = functions[next()]
      if (one === undefined) throw new Error('no such version')
      return one(...args)
    }) as One
  return {
    versions,
    inTurn,
    exports: async (path, present) => {
      const earlier = (await import(join(EARLIER, 'examples', path))) as typeof present
      return membersInTurn([earlier, present], inTurn)
    },
    next,
    settleOn: (version) => {
      settled = version
    },
    counts,
  }
}

/** Functions, and those in objects, such as `start` of a flow. */
function membersInTurn<Members extends object>(
  [earlier, present]: readonly [Members, Members],
  inTurn: RollOut['inTurn'],
): Members {
  const members = Object.entries(present).map(([name, value]: [string, unknown]) => {
    const before: unknown = Reflect.get(earlier, name)
    if (typeof value === 'function') return [name, inTurn([before, value] as Call[])]
    const hasMembers = typeof value === 'object' && value !== null
    return [name, hasMembers ? membersInTurn([before as object, value], inTurn) : value]
  })
  return Object.fromEntries(members) as Members
}
