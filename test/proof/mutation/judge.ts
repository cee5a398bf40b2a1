import { type Found, identify, keyOf, type Mutant } from './mutant.ts'
import type { Room } from './rooms.ts'

export interface Tested extends Found {
  readonly status: string
  /** It is run while a module loads. */
  readonly static?: boolean
}

export interface RoomReport {
  readonly room: string
  readonly mutants: number
  readonly killed: number
  readonly explained: number
  /** They survive without an explanation. */
  readonly unexplained: readonly Mutant[]
  /** Explained, but killed by now, or its code is gone. */
  readonly outdated: readonly Mutant[]
}

/** A mutant that hangs, or does not load, is noticed by every test run. */
const KILLED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError'])

export function judge(
  { name }: Room,
  tested: readonly Tested[],
  explanations: ReadonlyMap<string, Mutant>,
): RoomReport {
  const alive = tested.filter(({ status }) => !KILLED.has(status)).map(identify)
  const left = alive.filter((mutant) => !explanations.has(keyOf(mutant)))
  return {
    room: name,
    mutants: tested.length,
    killed: tested.length - alive.length,
    explained: alive.length - left.length,
    unexplained: left,
    outdated: outdated(tested, alive, explanations),
  }
}

/** On a busy machine a mutant that changes nothing may reach the time limit: that does not count against the explanation. */
function outdated(
  tested: readonly Tested[],
  alive: readonly Mutant[],
  explanations: ReadonlyMap<string, Mutant>,
): Mutant[] {
  const slow = tested.filter(({ status }) => status === 'Timeout').map(identify)
  const standing = new Set([...alive, ...slow].map(keyOf))
  const files = new Set(tested.map((mutant) => identify(mutant).file))
  return [...explanations.values()].filter(
    (mutant) => files.has(mutant.file) && !standing.has(keyOf(mutant)),
  )
}
