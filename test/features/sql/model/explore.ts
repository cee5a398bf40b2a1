import { movesOf } from './moves.ts'
import type { Off, Scenario } from './scenario.ts'
import { startOf } from './start.ts'
import type { State } from './state.ts'

export interface Explored {
  readonly states: number
  readonly violation: string | undefined
  /** The shortest way to it. */
  readonly trace: readonly string[]
}

interface Reached {
  readonly state: State
  readonly words: string
  readonly from: Reached | undefined
}

/** Breadth first: the first violation that is found has the shortest trace. */
export function explore(scenario: Scenario, off?: Off): Explored {
  const known = new Set<string>()
  let level: Reached[] = [{ state: startOf(scenario), words: '', from: undefined }]
  while (level.length > 0) {
    const next: Reached[] = []
    for (const from of level) {
      for (const { words, state } of movesOf(from.state, scenario, off)) {
        const reached = { state, words, from }
        if (state.violation !== undefined) {
          return { states: known.size, violation: state.violation, trace: traceOf(reached) }
        }
        const text = JSON.stringify(state)
        if (known.has(text)) continue
        known.add(text)
        next.push(reached)
      }
    }
    level = next
  }
  return { states: known.size, violation: undefined, trace: [] }
}

function traceOf(reached: Reached): string[] {
  const words: string[] = []
  for (let at: Reached | undefined = reached; at !== undefined; at = at.from)
    words.unshift(at.words)
  return words.slice(1)
}
