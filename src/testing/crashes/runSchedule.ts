import type { QueueMessage } from '../../queue/messenger.ts'
import type { Build } from './deliver.ts'
import type { Choices } from './choices.ts'
import { redeliverAll } from './redeliverAll.ts'
import { seededRandom } from './seededRandom.ts'
import { type Effects, effectsOf } from './effects.ts'
import { sendFromOutside } from './sendFromOutside.ts'
import { compareWith, type CrashFinding } from './compareEffects.ts'
import {
  type ScheduleContext,
  openScheduleContext,
  type ComparisonTerms,
} from './scheduleContext.ts'
import type { ScheduleSetting } from './nextEvents.ts'
import { type RestState, runToRest, STUCK } from './runToRest.ts'
import { redriveDeadLetters } from './redrive.ts'
import { withControlledTimers } from './timers.ts'
import { timerControlOf, type Simulation } from './simulation.ts'

export interface ExplorationPlan extends ScheduleSetting {
  /** Sent at the start: the queue, and the message. */
  readonly messages: readonly { readonly queue: string; readonly message: QueueMessage }[]
  readonly terms: ComparisonTerms
  /** Who takes the dead letters that are sent back at the end; undefined: they are not. */
  readonly redriven?: Build
}

export interface Schedule {
  readonly effects: Effects
  readonly findings: readonly CrashFinding[]
  readonly log: readonly string[]
}

/**
 * One schedule, from its start. undefined: it met a state that another one went on from.
 * @param expected what it may leave behind; nothing: it is one of those that say so
 */
export async function runSchedule(
  plan: ExplorationPlan,
  simulation: Simulation,
  choices: Choices,
  known: Set<string>,
  expected: readonly Effects[],
): Promise<Schedule | undefined> {
  const context = openScheduleContext(simulation, plan.terms)
  const now = (): number => simulation.current?.clock.now() ?? simulation.now
  const clockAndRandom = { now, random: seededRandom(simulation) }
  return withControlledTimers({ ...timerControlOf(simulation), clockAndRandom }, async () => {
    for (const { queue, message } of plan.messages) sendFromOutside(context, queue, message)
    const end = await playAll(context, plan, choices, known)
    if (end === 'known') return undefined
    const effects = effectsOf(context)
    const stuck = end === 'stuck' ? [STUCK] : []
    const findings = [
      ...innocentsIn(simulation, expected, effects),
      ...compareWith(expected, excusable(simulation, effects)),
    ]
    const isOver = stuck.length + findings.length > 0 || expected.length === 0
    const late = isOver ? [] : await redeliverAll(context, lastOf(plan), expected)
    return { effects, findings: [...stuck, ...findings, ...late], log: simulation.log }
  })
}

/** Of what was sent back some may die again, of one more fault. */
const REDRIVES = 3

async function playAll(
  context: ScheduleContext,
  plan: ExplorationPlan,
  choices: Choices,
  known: Set<string>,
): Promise<RestState> {
  let end = await runToRest(context, plan, choices, known)
  for (let times = 0; times < REDRIVES && end === 'at rest'; times++) {
    if (plan.redriven === undefined || !redriveDeadLetters(context, plan.queues[0] ?? '')) break
    end = await runToRest(context, lastOf(plan), choices, known)
  }
  return end
}

function lastOf(plan: ExplorationPlan): ExplorationPlan {
  return { ...plan, build: plan.redriven ?? plan.build }
}

/** Where nothing but time was needed, a dead letter excuses nothing. */
function excusable({ spent }: Simulation, effects: Effects): Effects {
  const isOnlyLate = spent.length > 0 && spent.every((fault) => fault === 'table throttled')
  return isOnlyLate ? { ...effects, told: false } : effects
}

/** One message that kills its sandbox must not take others to the dead letters with it. */
function innocentsIn(
  { spent }: Simulation,
  expected: readonly Effects[],
  { dead }: Effects,
): CrashFinding[] {
  if (!spent.every((fault) => fault === 'killed each time')) return []
  const most = Math.max(...expected.map((each) => each.dead.size)) + spent.length
  if (expected.length === 0 || dead.size <= most) return []
  const messages = [...dead].map(([id, reason]) => `${id} (${reason})`).join(', ')
  const what = `${dead.size} messages were dead-lettered, where ${most} kill whoever runs them: ${messages}`
  return [{ trouble: 'lost', what }]
}
