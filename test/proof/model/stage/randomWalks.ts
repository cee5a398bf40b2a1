import { begin, movesOf, type Report } from './explore.ts'
import type { Protocol } from './protocol.ts'
import type { Scenario } from './scenario.ts'

/** Random complete histories, where all would take too long: a cut search never sees how they end. */
export function randomWalks(
  scenario: Scenario,
  protocol: Protocol,
  { walks, seed }: { readonly walks: number; readonly seed: number },
): Report {
  const chance = chanceFrom(seed)
  let states = 0
  for (let walk = 0; walk < walks; walk++) {
    const trace: string[] = []
    let state = begin(scenario)
    for (let moves = movesOf({ scenario, protocol, state }); moves.length > 0;) {
      const move = moves[Math.floor(chance() * moves.length)]
      if (move === undefined || trace.length >= LONGEST) break
      trace.push(move.words)
      state = move.state
      states += 1
      const { bad } = state.facts
      if (bad !== undefined) return { states, cut: true, violation: bad, trace }
      moves = movesOf({ scenario, protocol, state })
    }
  }
  return { states, cut: true, violation: undefined, trace: [] }
}

const LONGEST = 120

/** A linear congruential generator (Numerical Recipes): the same histories in every run. */
function chanceFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
