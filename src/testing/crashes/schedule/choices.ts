import { ConfigError } from '../../../library/base/errors.ts'

/** Chooses among numbered options. */
export interface Choices {
  pick(of: number): number
  /** Whether the schedule has passed the part that repeats an earlier one. */
  isNew(): boolean
}

interface Walk {
  readonly schedules: number
  /** False when the limit was reached first. */
  readonly whole: boolean
}

/** A choice of the schedule that comes next. */
export interface Branch {
  taken: number
  readonly of: number
}

const NOT_REPEATABLE =
  'The code under test behaved differently when the same schedule was repeated, so schedules cannot be explored. Either it ' +
  'keeps state from one invocation to the next, or it gets the time, random numbers or an answer from somewhere real. Pass ' +
  'all of these in, and create its state for each invocation.'

/** After so many schedules the event loop gets a turn, because the test runner's own messages wait there. */
const BREATH = 250
const breathe = setImmediate

/**
 * Walks depth first through every sequence of choices. Async code cannot be copied, so each schedule runs from its start: it
 * repeats the choices of the previous one up to the last that has another option. `run` decides whether to continue. Code that
 * is not deterministic may get a different number of options when it is repeated; `lenient` continues from there.
 * @param path where an earlier walk has stopped at its limit; it is moved on
 */
export async function walk(
  run: (choices: Choices) => Promise<'go on' | 'stop'>,
  limit: number,
  turns: 'strict' | 'lenient' = 'strict',
  path: Branch[] = [],
): Promise<Walk> {
  for (let schedules = 1; ; schedules++) {
    let depth = 0
    const choices: Choices = {
      isNew: () => depth >= path.length,
      pick(of) {
        if (depth === path.length) path.push({ taken: 0, of })
        const branch = path[depth++]
        if (branch?.of === of) return branch.taken
        if (turns === 'strict') throw new ConfigError(NOT_REPEATABLE)
        return Math.min(branch?.taken ?? 0, of - 1)
      },
    }
    if ((await run(choices)) === 'stop') return { schedules, whole: false }
    if (!advance(path)) return { schedules, whole: true }
    if (schedules >= limit) return { schedules, whole: false }
    if (schedules % BREATH === 0) await new Promise((resolve) => breathe(resolve))
  }
}

/** Moves on to the next option of the last branch that has one. */
function advance(path: Branch[]): boolean {
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    if (last.taken + 1 < last.of) {
      last.taken += 1
      return true
    }
    path.pop()
  }
  return false
}

/** Repeats recorded choices; after them, the first option, which is never a fault if there is another. */
export function replaying(taken: readonly number[]): Choices {
  let next = 0
  return { isNew: () => false, pick: (of) => Math.min(taken[next++] ?? 0, of - 1) }
}

/** Records each choice in `path`. */
export function recording(choices: Choices, path: number[]): Choices {
  return {
    isNew: () => choices.isNew(),
    pick: (of) => {
      const taken = choices.pick(of)
      path.push(taken)
      return taken
    },
  }
}
