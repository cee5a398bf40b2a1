import type { Consumer } from '../../../src/library/run/deliver/consumer.ts'
import { loadContext, loadUncommon } from '../../../src/library/run/deliver/lazy.ts'
import { type Choices, walk } from '../../../src/testing/crashes/schedule/choices.ts'
import { type Model, openModel, type Removal } from './model.ts'
import { mayComeAgain } from './days.ts'
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
  /** The number of schedules they cover: those from a state that was reached before are counted, not run again. */
  readonly covered: number
  /** False: the search ended at the limit, or at a broken promise. */
  readonly whole: boolean
  readonly violation: string | undefined
  /** The schedule that broke it, in words. */
  readonly trace: readonly string[]
}

/** More deliveries than any schedule of few faults needs: beyond them, the schedule never comes to rest. */
const RESTLESS = 30

/** Runs the scenario by every schedule, until one breaks a promise. */
export async function explore(
  scenario: Scenario,
  budget: Budget,
  removal: Removal = {},
): Promise<Report> {
  // What is loaded at its first use takes more than the microtasks of a step.
  await Promise.all([loadContext(), loadUncommon()])
  const consumer = scenario.consumer()
  const memory = new Map<string, number>()
  const covered = openCovered()
  const faults = (budget.only ?? USUAL_FAULTS).filter((each) => !scenario.without?.includes(each))
  let broken: Simulation | undefined
  const result = await walk(async (choices) => {
    const simulation = openSimulation(budget.faults, faults, memory)
    covered.begin()
    await runOnce({ scenario, consumer, simulation, removal, budget, choices, covered })
    if (violationOf(simulation) === undefined) return 'go on'
    broken = simulation
    return 'stop'
  }, budget.limit)
  const violation = broken && violationOf(broken)
  return { ...result, covered: covered.total(), violation, trace: broken?.log ?? [] }
}

interface Run {
  readonly scenario: Scenario
  readonly consumer: Consumer
  readonly simulation: Simulation
  readonly removal: Removal
  readonly budget: Budget
  readonly choices: Choices
  readonly covered: Covered
}

async function runOnce(run: Run): Promise<void> {
  const { scenario, consumer, simulation, removal, budget } = run
  const model = openModel(simulation, consumer, scenario, removal)
  await withControlledTimers(timerControlOf(simulation), async () => {
    await scenario.begin(model, {
      settle: () => settle(model),
      until: (words) => until(model, words),
    })
    const earlier = simulation.actors.filter(({ state }) => state === 'answered').length
    const end = await play(model, {
      ...run,
      budget: { ...budget, deliveries: budget.deliveries + earlier },
    })
    if (end === 'known' || violationOf(simulation) !== undefined) return
    run.covered.ends()
    judgeRest(model, scenario)
    if (violationOf(simulation) === undefined) await comeAgain(model, scenario)
  })
}

/** Takes the events in the chosen order, until none is left. */
async function play(model: Model, { budget, choices, covered }: Run): Promise<'at rest' | 'known'> {
  const { simulation } = model
  let picks = 0
  for (;;) {
    await microtasksDrained()
    if (simulation.actors.length > RESTLESS)
      violate(simulation, `not at rest after ${RESTLESS} deliveries`)
    if (violationOf(simulation) !== undefined) return 'at rest'
    const options = nextOptions(model, budget)
    if (choices.isNew() && covered.meets(stateOf(model), picks) && !budget.again) return 'known'
    if (options.length > 1) picks += 1
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option === undefined) {
      if (model.sweep?.(model) === true) continue
      return 'at rest'
    }
    take(simulation, option)
  }
}

/** Without choices and faults: runs all pending calls, then delivers the next message. */
async function settle(model: Model): Promise<void> {
  const { simulation } = model
  const { faultsLeft } = simulation
  simulation.faultsLeft = 0
  for (;;) {
    await microtasksDrained()
    const [option] = nextOptions(model, { faults: 0, deliveries: 0, limit: 1 })
    if (violationOf(simulation) !== undefined) break
    if (option === undefined) {
      if (model.sweep?.(model) === true) continue
      break
    }
    if (simulation.actors.length > RESTLESS) break
    take(simulation, option)
  }
  simulation.faultsLeft = faultsLeft
}

/** Continues without choices until this can happen. */
async function until(model: Model, words: string): Promise<NextEvent> {
  for (;;) {
    await microtasksDrained()
    const options = nextOptions(model, { faults: 0, deliveries: 0, limit: 1 })
    const found = options.find((option) => option.words === words)
    const [next] = options
    if (found !== undefined) return found
    if (next === undefined) throw new Error(`'${words}' never can happen`)
    take(model.simulation, next)
  }
}

function judgeRest(model: Model, scenario: Scenario): void {
  for (const { status } of model.table.tokens.values()) {
    if (status === 'inProgress' || status === 'dying' || status === 'ending') {
      violate(model.simulation, `at rest, a token is ${status}`)
    }
  }
  const complaint = scenario.judge(model)
  if (complaint !== undefined) violate(model.simulation, complaint)
}

/** At the end every message that was ever delivered is redelivered: that may have no effect. */
async function comeAgain(model: Model, scenario: Scenario): Promise<void> {
  const { simulation, queue } = model
  const before = effectsOf(model)
  for (const message of queue.delivered.filter((each) => mayComeAgain(model, each))) {
    simulation.log.push(`${message.id} is redelivered`)
    const again = put(queue, message.message, simulation.now)
    Object.assign(again, { id: message.id, receives: message.receives })
    await settle(model)
  }
  if (violationOf(simulation) !== undefined) return
  if (effectsOf(model) !== before) violate(simulation, 'a late duplicate had an effect')
  if (queue.messages.length > 0) violate(simulation, 'a late duplicate never came to rest')
  judgeRest(model, scenario)
}

function effectsOf({ table, calls, next, deadLetters, watch }: Model): string {
  return [
    table.users,
    calls.join(),
    next.messages.length,
    deadLetters.messages.length,
    watch.digest(),
  ].join('|')
}
