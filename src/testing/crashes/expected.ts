import type { CrashFault } from './simulation/crashFaults.ts'
import type { Effects } from './effects/effects.ts'
import { openSimulation } from './simulation/simulation.ts'
import { type Choices, replaying, walk } from './schedule/choices.ts'
import { type ExplorationPlan, runSchedule, type Schedule } from './schedule/runSchedule.ts'

/** Orders of requests that meet, and places where one of them can be cut short. */
const MOST = 3_000

type Memory = Map<string, number>

interface Expected {
  /** The runs without faults. */
  readonly calm: readonly Schedule[]
  /** Their effects, and those of runs that a newer request cuts short. */
  readonly right: readonly Effects[]
}

/**
 * The effects of runs without faults, one invocation at a time. There is one, or two where outside systems answer: in time, and as
 * late as possible. When requests of one key meet, each order is right, and so is a run that a newer request cuts short at any call.
 */
export async function expectedOf(plan: ExplorationPlan, memory: Memory): Promise<Expected> {
  const alone = { ...plan, build: plan.redriven ?? plan.build, together: 1 }
  const settings = [
    alone,
    ...(plan.answers.size === 0 ? [] : [{ ...alone, answered: 'at last' } as const]),
  ]
  if (plan.meets) {
    const met = await Promise.all(settings.map((each) => meetings(each, memory)))
    const all = met.flatMap((each) => each.right)
    const right = [...new Map(all.map((each) => [textOf(each), each])).values()]
    return { calm: met.flatMap(({ calm }) => calm), right }
  }
  const calm: Schedule[] = []
  for (const setting of settings) {
    const ended = await endOf(setting, 0, replaying([]), new Set(), memory)
    if (ended !== undefined) calm.push(ended)
  }
  return { calm, right: calm.map(({ effects }) => effects) }
}

const CUT: readonly CrashFault[] = ['killed before']

async function meetings(plan: ExplorationPlan, memory: Memory): Promise<Expected> {
  const orders = await allOf(plan, 0, memory)
  const [first, ...others] = orders.map(({ effects }) => effects.completed)
  const always = [...(first ?? [])].filter((run) => others.every((one) => one.has(run)))
  const cut = await allOf({ ...plan, isCut: true }, 1, memory)
  const right = cut.filter(({ effects }) => always.every((run) => effects.completed.has(run)))
  return { calm: orders, right: [...orders, ...right].map(({ effects }) => effects) }
}

async function allOf(plan: ExplorationPlan, faults: number, memory: Memory): Promise<Schedule[]> {
  const all: Schedule[] = []
  const known = new Set<string>()
  await walk(
    async (choices) => {
      const ended = await endOf(plan, faults, choices, known, memory)
      if (ended !== undefined) all.push(ended)
      return 'go on'
    },
    MOST,
    'lenient',
  )
  return all
}

function endOf(
  plan: ExplorationPlan,
  faults: number,
  choices: Choices,
  known: Set<string>,
  memory: Memory,
): Promise<Schedule | undefined> {
  const simulation = openSimulation(faults, CUT, memory, plan.startAt)
  return runSchedule(plan, simulation, choices, known, [])
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
