import { ConfigError } from '../../errors.ts'

/** Picks one of so many options, by number. */
export interface Choices {
  pick(of: number): number
  /** Past what is only repeated: what comes now was never seen on this path. */
  isNew(): boolean
}

interface Walk {
  readonly schedules: number
  /** False: the limit came first. */
  readonly whole: boolean
}

interface Branch {
  taken: number
  readonly of: number
}

const ANOTHER_TURN =
  'What runs did something else when the same was repeated, so that its schedules cannot be followed. It keeps something ' +
  'from one invocation to the next, or asks something real for the time, for chance or for an answer: let it have all ' +
  'that from what it is made from, and make anew for each invocation what it remembers.'

/** Long runs must let the event loop breathe: the test runner's own messages wait there. */
const BREATH = 250
const breathe = setImmediate

/**
 * Depth first through every sequence of choices: async code cannot be copied, so each schedule is run from its start, by
 * the choices of the one before up to the last that has an option left. `run` says whether to go on. What throws dice of its
 * own may turn out another way when it is repeated: `lenient` goes on from there.
 */
export async function walk(
  run: (choices: Choices) => Promise<'go on' | 'stop'>,
  limit: number,
  turns: 'strict' | 'lenient' = 'strict',
): Promise<Walk> {
  const path: Branch[] = []
  for (let schedules = 1; ; schedules++) {
    let depth = 0
    const choices: Choices = {
      isNew: () => depth >= path.length,
      pick(of) {
        if (depth === path.length) path.push({ taken: 0, of })
        const branch = path[depth++]
        if (branch?.of === of) return branch.taken
        if (turns === 'strict') throw new ConfigError(ANOTHER_TURN)
        return Math.min(branch?.taken ?? 0, of - 1)
      },
    }
    if ((await run(choices)) === 'stop') return { schedules, whole: false }
    if (!turn(path)) return { schedules, whole: true }
    if (schedules >= limit) return { schedules, whole: false }
    if (schedules % BREATH === 0) await new Promise((resolve) => breathe(resolve))
  }
}

/** To the next option of the last branch that has one. */
function turn(path: Branch[]): boolean {
  for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
    if (last.taken + 1 < last.of) {
      last.taken += 1
      return true
    }
    path.pop()
  }
  return false
}

/** As written down; past its end whatever goes on as it should. */
export function replaying(taken: readonly number[]): Choices {
  let next = 0
  return { isNew: () => false, pick: (of) => Math.min(taken[next++] ?? 0, of - 1) }
}

/** Writes down what is picked. */
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
