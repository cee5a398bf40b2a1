import { hash } from 'node:crypto'
import type { Consumer } from '../../src/batch/consumer.ts'
import { type Choices, walk } from './choices.ts'
import { deliver, type Lab, openLab, type Removal } from './lab.ts'
import type { Scenario } from './scenarios.ts'
import { first, type Letter, put } from './sqs.ts'
import { drained, type Timer, withTimers } from './timers.ts'
import {
  type Actor,
  type Fault,
  leave,
  openWorld,
  type Option,
  plain,
  violate,
  type World,
} from './world.ts'

export interface Budget {
  readonly faults: number
  /** Which may happen; all, if not said. */
  readonly only?: readonly Fault[]
  /** Invocations that may be started beside another one. */
  readonly deliveries: number
  /** Schedules. */
  readonly limit: number
}

export interface Report {
  readonly schedules: number
  readonly whole: boolean
  readonly violation: string | undefined
  readonly trace: readonly string[]
}

export const ALL_FAULTS: readonly Fault[] = [
  'request lost',
  'answer lost',
  'repeated',
  'throttled',
  'stale',
  'killed before',
  'killed after',
  'killed on the wire',
  'clock jumps',
  'time is up',
  'delete lost',
]

/** More deliveries than any schedule of few faults needs: beyond, something never comes to rest. */
const RESTLESS = 30

/** Runs the scenario by every schedule, until one breaks a promise. */
export async function explore(
  scenario: Scenario,
  budget: Budget,
  removal: Removal = {},
): Promise<Report> {
  const consumer = scenario.consumer()
  const known = new Set<string>()
  let broken: World | undefined
  const result = await walk(async (choices) => {
    const world = openWorld(budget.faults, budget.only ?? ALL_FAULTS)
    await runOnce(scenario, consumer, world, removal, budget, choices, known)
    if (world.violation === undefined) return 'go on'
    broken = world
    return 'stop'
  }, budget.limit)
  return { ...result, violation: broken?.violation, trace: broken?.log ?? [] }
}

async function runOnce(
  scenario: Scenario,
  consumer: Consumer,
  world: World,
  removal: Removal,
  budget: Budget,
  choices: Choices,
  known: Set<string>,
): Promise<void> {
  const lab = openLab(world, consumer, scenario.handler, removal)
  await withTimers(timersOf(world), async () => {
    if (!(await scenario.begin(lab, () => settle(lab)))) return
    if (!(await play(lab, budget, choices, known))) return
    if (world.violation === undefined) judgeRest(lab, scenario)
    if (world.violation === undefined) await comeAgain(lab, scenario)
  })
}

/** Lets everything happen that can, as chosen, until nothing is left. False: the rest is known from another schedule. */
async function play(
  lab: Lab,
  budget: Budget,
  choices: Choices,
  known: Set<string>,
): Promise<boolean> {
  const { world } = lab
  for (;;) {
    await drained()
    if (world.violation !== undefined) return true
    if (world.actors.length > RESTLESS) {
      violate(world, `not at rest after ${RESTLESS} deliveries`)
      return true
    }
    const options = optionsNow(lab, budget)
    if (options.length > 1 && choices.isNew() && isKnown(lab, known)) return false
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option === undefined) return true
    take(world, option)
  }
}

function take(world: World, { words, fault, take: happen }: Option): void {
  if (words !== '') world.log.push(words)
  if (fault !== undefined) world.faultsLeft -= 1
  happen()
}

function isKnown(lab: Lab, known: Set<string>): boolean {
  const state = stateOf(lab)
  if (known.has(state)) return true
  known.add(state)
  return false
}

function stateOf({ world, table, queue, deadLetters, next, service, watch }: Lab): string {
  const state = [
    world.now,
    world.faultsLeft,
    table.base.items(),
    [...table.before],
    table.base.userItems('stock'),
    table.base.userItems('orders'),
    queue,
    deadLetters.letters.length,
    next.letters.map(({ uniqueRequestId }) => uniqueRequestId),
    service.calls,
    watch.digest(),
    world.pending.map(({ actor, what, knew }) => [actor.name, actor.state, what, knew]),
    world.timers.map(({ actor, timer }) => [actor.name, timer.milliseconds]),
    world.actors
      .filter(({ state: how }) => how === 'running')
      .map(({ name, knows }) => [name, knows]),
  ]
  return hash('md5', plain(world, state), 'base64')
}

/** All that can happen next. What a running invocation does comes first, what goes wrong last. */
function optionsNow(lab: Lab, budget: Budget): Option[] {
  const { world } = lab
  const running = world.actors.filter(({ state }) => state === 'running')
  const calls = world.pending.flatMap((each) => each.options())
  const starts = deliverable(lab, running, budget).map((letter) => startOf(lab, letter))
  const timers = world.timers.flatMap((each) => fires(world, each))
  const options = [...calls, ...timers, ...starts, ...jump(world, running)]
  const plainly = options.filter(({ fault }) => fault === undefined)
  const wrong = options.filter(({ fault }) => fault !== undefined)
  if (plainly.length === 0 && running.length > 0) violate(world, `${running[0]?.name} is stuck`)
  return [...plainly, ...wrong]
}

/** Time passes while somebody waits, but no invocation lives longer than Lambda lets it. */
function deliverable({ world, queue }: Lab, running: readonly Actor[], budget: Budget): Letter[] {
  const soonest = first(queue)
  if (soonest === undefined || running.length > 1) return []
  const time = Math.max(world.now, soonest.visibleAt)
  const alone = running.length === 0
  if (!alone && world.actors.length >= budget.deliveries) return []
  if (running.some(({ startedAt }) => time > world.now && time >= startedAt + 900_000)) return []
  return queue.letters.filter(({ visibleAt }) => visibleAt <= time)
}

function startOf(lab: Lab, letter: Letter): Option {
  const take = (): void => {
    lab.world.now = Math.max(lab.world.now, letter.visibleAt)
    deliver(lab, letter)
  }
  return { words: '', fault: undefined, take }
}

/** A timer of minutes is the end of the invocation's time: that is a fault. A short one only waits its turn. */
function fires(world: World, each: { readonly actor: Actor; readonly timer: Timer }): Option[] {
  const fault = each.timer.milliseconds > 60_000 ? 'time is up' : undefined
  if (fault !== undefined && (world.faultsLeft === 0 || !world.faults.has(fault))) return []
  const take = (): void => {
    world.timers = world.timers.filter((other) => other !== each)
    world.current = each.actor
    each.timer.fire()
  }
  const words = fault === undefined ? 'the grace time is over' : 'the time is up'
  return [{ words: `${each.actor.name}: ${words}`, fault, take }]
}

const LONGER_THAN_ANY_LEASE = 1_000_000

function jump(world: World, running: readonly Actor[]): Option[] {
  if (world.faultsLeft === 0 || !world.faults.has('clock jumps') || running.length === 0) return []
  const take = (): void => {
    world.now += LONGER_THAN_ANY_LEASE
  }
  return [{ words: 'the clock jumps past every lease', fault: 'clock jumps', take }]
}

function timersOf(world: World): { set(timer: Timer): void; drop(timer: Timer): void } {
  return {
    set: (timer) => {
      if (world.current !== undefined) world.timers.push({ actor: world.current, timer })
    },
    drop: (timer) => {
      world.timers = world.timers.filter((each) => each.timer !== timer)
    },
  }
}

/** Without choices and faults: whatever waits is done, then the next message comes. */
async function settle(lab: Lab): Promise<void> {
  const { world } = lab
  const { faultsLeft } = world
  world.faultsLeft = 0
  for (;;) {
    await drained()
    const [option] = optionsNow(lab, { faults: 0, deliveries: 0, limit: 1 })
    if (option === undefined || world.violation !== undefined || world.actors.length > RESTLESS)
      break
    take(world, option)
  }
  world.faultsLeft = faultsLeft
}

function judgeRest(lab: Lab, scenario: Scenario): void {
  for (const token of lab.table.base.items()) {
    const status = token['status']
    if (status === 'inProgress' || status === 'dying')
      violate(lab.world, `at rest, a token is ${status}`)
  }
  const complaint = scenario.judge(lab)
  if (complaint !== undefined) violate(lab.world, complaint)
}

/** At the end every message that was ever delivered comes once more: nothing may come of it. */
async function comeAgain(lab: Lab, scenario: Scenario): Promise<void> {
  const { world, queue, watch } = lab
  const effects = (): string =>
    plain(world, [
      lab.table.base.userItems('stock'),
      lab.service.calls,
      lab.next.letters.length,
      lab.deadLetters.letters.length,
      watch.digest(),
    ])
  const before = effects()
  for (const letter of queue.delivered.slice()) {
    world.log.push(`${letter.id} comes once more`)
    const again = put(queue, letter.message, world.now)
    Object.assign(again, { id: letter.id, receives: letter.receives })
    await settle(lab)
  }
  if (world.violation === undefined && effects() !== before)
    violate(world, 'a late duplicate had an effect')
  if (queue.letters.length > 0) violate(world, 'a late duplicate never came to rest')
  if (world.violation === undefined) judgeRest(lab, scenario)
}

export { leave }
