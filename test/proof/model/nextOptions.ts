import { readToken } from '../../../src/library/protocol/claim/token/token.ts'
import { planOfToken } from '../../../src/tools/operator/plan/planToken.ts'
import { ID } from './scenario.ts'
import { daysPass } from './days.ts'
import { deliver } from './deliver.ts'
import type { Model } from './model.ts'
import { type SimulatedMessage, nextVisibleAt } from '../../../src/testing/queues/simulatedQueue.ts'
import type { Timer } from '../../../src/testing/crashes/runtime/timers.ts'
import { LONGEST_INVOCATION_MS } from '../../../src/testing/queues/deliverNext.ts'
import type {
  Actor,
  NextEvent,
  Simulation,
} from '../../../src/testing/crashes/simulation/simulation.ts'
import type { CrashFault } from '../../../src/testing/crashes/simulation/crashFaults.ts'
import { violate } from './violation.ts'
import { nativeRedrive } from '../../testing/nativeRedrive.ts'

export interface Budget {
  readonly faults: number
  /** Which may happen; all, if not said. */
  readonly only?: readonly CrashFault[]
  /** Number of invocations that may start while another one runs; later ones run alone. */
  readonly deliveries: number
  /** Schedules. */
  readonly limit: number
  /** Also continues from known states, to check that this finds nothing new. */
  readonly again?: true
}

/** All possible next events: the regular ones first, faults last. */
export function nextOptions(model: Model, budget: Budget): NextEvent[] {
  const { simulation } = model
  const deletes = simulation.pending.find(({ actor }) => actor.role === 'lambda')
  if (deletes !== undefined) return deletes.options()
  const running = simulation.actors.filter(({ state }) => state === 'running')
  const options = [
    ...simulation.pending.flatMap((each) => each.options()),
    ...simulation.timers.flatMap((each) => fires(simulation, each)),
    ...deliverable(model, running, budget).flatMap((message) => startsOf(model, message)),
    ...jump(simulation, running),
    ...redrive(model, running),
    ...drop(model, running),
    ...daysPass(model, running),
  ]
  const smooth = options.filter(({ fault }) => fault === undefined)
  if (smooth.length === 0 && running.length > 0) violate(simulation, `${running[0]?.name} is stuck`)
  return [...smooth, ...options.filter(({ fault }) => fault !== undefined)]
}

/** Time passes while an invocation waits, but no invocation lives longer than Lambda lets it. */
function deliverable(
  { simulation, queue }: Model,
  running: readonly Actor[],
  { deliveries }: Budget,
): SimulatedMessage[] {
  const soonest = nextVisibleAt(queue)
  if (soonest === Infinity || running.length > 1) return []
  if (running.length > 0 && simulation.actors.length >= deliveries) return []
  const time = Math.max(simulation.now, soonest)
  const passes = time > simulation.now
  if (passes && running.some(({ startedAt }) => time >= startedAt + LONGEST_INVOCATION_MS))
    return []
  return queue.messages.filter(({ visibleAt }) => visibleAt <= time)
}

function startsOf(model: Model, message: SimulatedMessage): NextEvent[] {
  const { simulation } = model
  const start = (fault: CrashFault | undefined, skew: number): NextEvent => ({
    words: '',
    fault,
    take: () => {
      simulation.now = Math.max(simulation.now, message.visibleAt)
      deliver(model, [message], skew)
    },
  })
  const skewed = [start('clock an hour ahead', HOUR_MS), start('clock an hour behind', -HOUR_MS)]
  return [start(undefined, 0), ...skewed.filter(({ fault }) => mayHappen(simulation, fault))]
}

const HOUR_MS = 3_600_000

function redrive(model: Model, running: readonly Actor[]): NextEvent[] {
  const { simulation, queue, deadLetters } = model
  const rests = running.length === 0 && (queue.messages.length === 0 || model.redrivesBeside)
  if (!rests || model.redrivesLeft === 0 || deadLetters.messages.length === 0) return []
  const take = (): void => {
    model.redrivesLeft -= 1
    model.redriven += 1
    nativeRedrive(deadLetters, queue, simulation.now)
  }
  return [{ words: 'the operator sends the dead letters back', fault: undefined, take }]
}

/** At any moment at which its token says that it is dead, also while its dead letter is on its way back. */
function drop(model: Model, running: readonly Actor[]): NextEvent[] {
  const { simulation, table } = model
  const item = table.tokens.get(`lock#orders/${ID}`)
  const token = item && readToken(item)
  if (model.drops !== true || running.length > 1 || token === undefined) return []
  const plan = planOfToken(token, 'drop', {}, simulation.now)
  if (plan.kind !== 'change' || plan.effect.kind !== 'updates') return []
  const { updates } = plan.effect
  const take = (): void => {
    model.drops = false
    void table.base.update(updates)
    const after = table.base.items().find(({ pk, sk }) => pk === token.pk && sk === 'token')
    if (after !== undefined) table.tokens.set(token.pk, after)
  }
  return [{ words: 'the operator drops the request', fault: undefined, take }]
}

function mayHappen({ faultsLeft, faults }: Simulation, fault: CrashFault | undefined): boolean {
  return fault === undefined || (faultsLeft > 0 && faults.has(fault))
}

/** A timer of minutes is the timeout of the invocation, which is a fault. A short one fires in its order. */
function fires(
  simulation: Simulation,
  each: { readonly actor: Actor; readonly timer: Timer },
): NextEvent[] {
  const fault = each.timer.milliseconds > 60_000 ? 'time is up' : undefined
  if (!mayHappen(simulation, fault)) return []
  const take = (): void => {
    simulation.timers = simulation.timers.filter((other) => other !== each)
    simulation.current = each.actor
    each.timer.fire()
  }
  const words = fault === undefined ? 'the grace time is over' : 'the time is up'
  return [{ words: `${each.actor.name}: ${words}`, fault, take }]
}

const LONGER_THAN_ANY_LEASE = 1_000_000

function jump(simulation: Simulation, running: readonly Actor[]): NextEvent[] {
  if (running.length === 0 || !mayHappen(simulation, 'clock jumps')) return []
  const take = (): void => {
    simulation.now += LONGER_THAN_ANY_LEASE
  }
  return [{ words: 'the clock jumps past every lease', fault: 'clock jumps', take }]
}
