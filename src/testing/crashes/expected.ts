import type { CrashFault } from './simulation/crashFaults.ts'
import type { Effects } from './effects/effects.ts'
import { openSimulation } from './simulation/simulation.ts'
import { type Choices, replaying, walk } from './schedule/choices.ts'
import { type ExplorationPlan, runSchedule } from './schedule/runSchedule.ts'

/** Orders of requests that meet, and places where one of them can be cut short. */
const MOST = 3_000

type Memory = Map<string, number>

/**
 * The effects of runs without faults, one invocation at a time. There is one, or two where outside systems answer: in time, and as
 * late as possible. When requests of one key meet, each order is right, and so is a run that a newer request cuts short at any call.
 */
export async function expectedOf(plan: ExplorationPlan, memory: Memory): Promise<Effects[]> {
  const alone = { ...plan, build: plan.redriven ?? plan.build, together: 1 }
  const settings = [
    alone,
    ...(plan.answers.size === 0 ? [] : [{ ...alone, answered: 'at last' } as const]),
  ]
  if (plan.meets) {
    const all = (await Promise.all(settings.map((each) => meetings(each, memory)))).flat()
    return [...new Map(all.map((each) => [textOf(each), each])).values()]
  }
  const expected: Effects[] = []
  for (const setting of settings) {
    const effects = await effectsIn(setting, 0, replaying([]), new Set(), memory)
    if (effects !== undefined) expected.push(effects)
  }
  return expected
}

const CUT: readonly CrashFault[] = ['killed before']

async function meetings(plan: ExplorationPlan, memory: Memory): Promise<Effects[]> {
  const orders = await allOf(plan, 0, memory)
  const [first, ...others] = orders.map(({ completed }) => completed)
  const always = [...(first ?? [])].filter((run) => others.every((one) => one.has(run)))
  const cut = await allOf({ ...plan, isCut: true }, 1, memory)
  return [...orders, ...cut.filter(({ completed }) => always.every((run) => completed.has(run)))]
}

async function allOf(plan: ExplorationPlan, faults: number, memory: Memory): Promise<Effects[]> {
  const all: Effects[] = []
  const known = new Set<string>()
  await walk(
    async (choices) => {
      const effects = await effectsIn(plan, faults, choices, known, memory)
      if (effects !== undefined) all.push(effects)
      return 'go on'
    },
    MOST,
    'lenient',
  )
  return all
}

async function effectsIn(
  plan: ExplorationPlan,
  faults: number,
  choices: Choices,
  known: Set<string>,
  memory: Memory,
): Promise<Effects | undefined> {
  const ended = await runSchedule(
    plan,
    openSimulation(faults, CUT, memory, plan.startAt),
    choices,
    known,
    [],
  )
  return ended?.effects
}

function textOf({ counts, rows, contents, orders, completed, dead }: Effects): string {
  return JSON.stringify([
    [...counts],
    [...rows],
    [...contents],
    [...orders],
    [...completed].toSorted(),
    [...dead],
  ])
}
