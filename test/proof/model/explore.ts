import type { Consumer } from '../../../src/batch/consumer.ts'
import { type Choices, walk } from '../../../src/testing/crashes/schedule/choices.ts'
import { type Lab, openLab, type Removal } from './lab.ts'
import { type Covered, openCovered } from './covered.ts'
import { type Budget, nextOptions } from './nextOptions.ts'
import type { Scenario } from './scenario.ts'
import { take } from '../../../src/testing/crashes/schedule/runToRest.ts'
import { put } from '../../../src/testing/queues/simulatedQueue.ts'
import { stateOf } from './state.ts'
import {
  microtasksDrained,
  withControlledTimers,
} from '../../../src/testing/crashes/runtime/timers.ts'
import {
  openSimulation,
  timerControlOf,
  type Simulation,
} from '../../../src/testing/crashes/simulation/simulation.ts'
import type { NextEvent } from '../../../src/testing/crashes/simulation/simulation.ts'
import { USUAL_FAULTS } from '../../../src/testing/crashes/simulation/crashFaults.ts'
import { violate, violationOf } from './violation.ts'

export interface Report {
  readonly schedules: number
  /** So many they stand for: what went on from a state that was met again is counted, not run again. */
  readonly covered: number
  /** False: the limit came first, or a broken promise. */
  readonly whole: boolean
  readonly violation: string | undefined
  /** The schedule that broke it, in words. */
  readonly trace: readonly string[]
}

/** More deliveries than any schedule of few faults needs: beyond, something never comes to rest. */
const RESTLESS = 30

/** Runs the scenario by every schedule, until one breaks a promise. */
export async function explore(
  scenario: Scenario,
  budget: Budget,
  removal: Removal = {},
): Promise<Report> {
  const consumer = scenario.consumer()
  const memory = new Map<string, number>()
  const covered = openCovered()
  const faults = (budget.only ?? USUAL_FAULTS).filter((each) => !scenario.without?.includes(each))
  let broken: Simulation | undefined
  const result = await walk(async (choices) => {
    const world = openSimulation(budget.faults, faults, memory)
    covered.begin()
    await runOnce({ scenario, consumer, world, removal, budget, choices, covered })
    if (violationOf(world) === undefined) return 'go on'
    broken = world
    return 'stop'
  }, budget.limit)
  const violation = broken && violationOf(broken)
  return { ...result, covered: covered.total(), violation, trace: broken?.log ?? [] }
}

interface Run {
  readonly scenario: Scenario
  readonly consumer: Consumer
  readonly world: Simulation
  readonly removal: Removal
  readonly budget: Budget
  readonly choices: Choices
  readonly covered: Covered
}

async function runOnce(run: Run): Promise<void> {
  const { scenario, consumer, world, removal, budget } = run
  const lab = openLab(world, consumer, scenario.handler, removal)
  await withControlledTimers(timerControlOf(world), async () => {
    await scenario.begin(lab, {
      settle: () => settle(lab),
      until: (words) => until(lab, words),
    })
    const earlier = world.actors.filter(({ state }) => state === 'answered').length
    const end = await play(lab, {
      ...run,
      budget: { ...budget, deliveries: budget.deliveries + earlier },
    })
    if (end === 'known' || violationOf(world) !== undefined) return
    run.covered.ends()
    judgeRest(lab, scenario)
    if (violationOf(world) === undefined) await comeAgain(lab, scenario)
  })
}

/** Lets everything happen that can, as chosen, until nothing is left. */
async function play(lab: Lab, { budget, choices, covered }: Run): Promise<'at rest' | 'known'> {
  const { world } = lab
  let picks = 0
  for (;;) {
    await microtasksDrained()
    if (world.actors.length > RESTLESS) violate(world, `not at rest after ${RESTLESS} deliveries`)
    if (violationOf(world) !== undefined) return 'at rest'
    const options = nextOptions(lab, budget)
    if (choices.isNew() && covered.meets(stateOf(lab), picks) && !budget.again) return 'known'
    if (options.length > 1) picks += 1
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option === undefined) return 'at rest'
    take(world, option)
  }
}

/** Without choices and faults: whatever waits is done, then the next message comes. */
async function settle(lab: Lab): Promise<void> {
  const { world } = lab
  const { faultsLeft } = world
  world.faultsLeft = 0
  for (;;) {
    await microtasksDrained()
    const [option] = nextOptions(lab, { faults: 0, deliveries: 0, limit: 1 })
    if (option === undefined || violationOf(world) !== undefined) break
    if (world.actors.length > RESTLESS) break
    take(world, option)
  }
  world.faultsLeft = faultsLeft
}

/** Goes on without choices until this can happen. */
async function until(lab: Lab, words: string): Promise<NextEvent> {
  for (;;) {
    await microtasksDrained()
    const options = nextOptions(lab, { faults: 0, deliveries: 0, limit: 1 })
    const found = options.find((option) => option.words === words)
    const [next] = options
    if (found !== undefined) return found
    if (next === undefined) throw new Error(`'${words}' never can happen`)
    take(lab.world, next)
  }
}

function judgeRest(lab: Lab, scenario: Scenario): void {
  for (const { status } of lab.table.tokens.values()) {
    if (status === 'inProgress' || status === 'dying') {
      violate(lab.world, `at rest, a token is ${status}`)
    }
  }
  const complaint = scenario.judge(lab)
  if (complaint !== undefined) violate(lab.world, complaint)
}

/** At the end every message that was ever delivered comes once more: nothing may come of it. */
async function comeAgain(lab: Lab, scenario: Scenario): Promise<void> {
  const { world, queue } = lab
  const before = effectsOf(lab)
  for (const letter of queue.delivered.slice()) {
    world.log.push(`${letter.id} comes once more`)
    const again = put(queue, letter.message, world.now)
    Object.assign(again, { id: letter.id, receives: letter.receives })
    await settle(lab)
  }
  if (violationOf(world) !== undefined) return
  if (effectsOf(lab) !== before) violate(world, 'a late duplicate had an effect')
  if (queue.messages.length > 0) violate(world, 'a late duplicate never came to rest')
  judgeRest(lab, scenario)
}

function effectsOf({ table, calls, next, deadLetters, watch }: Lab): string {
  return [
    table.users,
    calls.join(),
    next.messages.length,
    deadLetters.messages.length,
    watch.digest(),
  ].join('|')
}
