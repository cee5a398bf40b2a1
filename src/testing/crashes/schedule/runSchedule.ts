import type { QueueMessage } from '../../../library/protocol/send/messenger.ts'
import type { Build } from './deliver.ts'
import type { Choices } from './choices.ts'
import { redeliverAll, RETENTION_MS, type RestState, runToRest, STUCK } from './runToRest.ts'
import { openSimulatedQueue } from '../../queues/simulatedQueue.ts'
import { seededRandom, timerControlOf, type Simulation } from '../simulation/simulation.ts'
import { type Effects, effectsOf } from '../effects/effects.ts'
import {
  sendFromOutside,
  type ScheduleContext,
  openScheduleContext,
  type ComparisonTerms,
  redriveAll,
} from '../simulation/scheduleContext.ts'
import { compareWith, type CrashFinding, isReported } from '../effects/compareEffects.ts'
import { ASYNC_RETRY_MS, type ScheduleSetting } from './nextEvents.ts'
import { waitingRows } from './sweepRows.ts'
import type { MemoryStoreOptions } from '../../../library/adapters/store/memory/memoryStore.ts'
import { withControlledTimers } from '../runtime/timers.ts'

export interface ExplorationPlan extends ScheduleSetting {
  /** The messages that are sent at the start. */
  readonly messages: readonly { readonly queue: string; readonly message: QueueMessage }[]
  readonly terms: ComparisonTerms
  /** Rows that the tables have at the start. */
  readonly rows: MemoryStoreOptions['rows']
  /** Queues whose handlers no schedule has run yet. */
  readonly unreached: ReadonlySet<string>
  /** When each schedule begins, epoch milliseconds. */
  readonly startAt: number | undefined
  /** Two requests of one key meet, and which of them is run or cut short is a matter of their order. */
  readonly meets: boolean
  /** The handlers that process the dead letters redriven at the end; undefined when none are redriven. */
  readonly redriven?: Build
}

export interface Schedule {
  readonly effects: Effects
  readonly findings: readonly CrashFinding[]
  /** Its faults led to a dead letter, or an error for a caller: what did not happen is reported, and counts as no loss. */
  readonly isExcused: boolean
  readonly log: readonly string[]
}

/**
 * Runs one schedule from its start. Undefined when it reached a state that an earlier schedule has continued from.
 * @param expected the effects that are correct; empty for the runs that determine them
 */
export async function runSchedule(
  plan: ExplorationPlan,
  simulation: Simulation,
  choices: Choices,
  known: Set<string>,
  expected: readonly Effects[],
): Promise<Schedule | undefined> {
  const context = openScheduleContext(simulation, plan.terms, plan.rows)
  const now = (): number => simulation.current?.clock.now() ?? simulation.now
  const clockAndRandom = { now, random: seededRandom(simulation) }
  return withControlledTimers({ ...timerControlOf(simulation), clockAndRandom }, async () => {
    if (plan.asynchronous) {
      const visibility = ASYNC_RETRY_MS
      context.queues.set(plan.queues[0] ?? '', openSimulatedQueue(false, { visibility }))
    }
    for (const { queue, message } of plan.messages) sendFromOutside(context, queue, message)
    const end = await playAll(context, plan, choices, known)
    if (end === 'known') return undefined
    const effects = effectsOf(context)
    const stuck = end === 'stuck' ? [STUCK] : []
    const findings = [
      ...innocentsIn(simulation, expected, effects),
      ...compareWith(expected, excusable(simulation, effects)),
    ]
    const isExcused = expected.length > 0 && expected.every((each) => isReported(each, effects))
    const isOver = stuck.length + findings.length > 0 || expected.length === 0
    const late = isOver ? [] : await redeliverAll(context, lastOf(plan), expected)
    const { log } = simulation
    return { effects, isExcused, findings: [...stuck, ...findings, ...late], log }
  })
}

/** A redriven message may be dead-lettered again by another fault. */
const REDRIVES = 3

async function playAll(
  context: ScheduleContext,
  plan: ExplorationPlan,
  choices: Choices,
  known: Set<string>,
): Promise<RestState> {
  let end = await runToRest(context, plan, choices, known)
  for (let times = 0; times < REDRIVES && end === 'at rest'; times++) {
    if (plan.redriven === undefined || !redriveAll(context, plan.queues[0] ?? '')) break
    end = await runToRest(context, lastOf(plan), choices, known)
  }
  return end === 'at rest' ? outwait(context, lastOf(plan), choices, known) : end
}

/** What waits for a redrive that does not come is sent once the dead letter of its run is gone, and nothing waits for ever. */
async function outwait(
  context: ScheduleContext,
  plan: ExplorationPlan,
  choices: Choices,
  known: Set<string>,
): Promise<RestState> {
  if (waitingRows(context).length === 0) return 'at rest'
  const { simulation } = context
  simulation.log.push('the dead letters expire')
  simulation.now += RETENTION_MS
  const end = await runToRest(context, plan, choices, known)
  return waitingRows(context).length === 0 ? end : 'stuck'
}

function lastOf(plan: ExplorationPlan): ExplorationPlan {
  return { ...plan, build: plan.redriven ?? plan.build }
}

/** A throttled table only takes time, so a dead letter is no excuse for a lost effect. */
function excusable({ spent }: Simulation, effects: Effects): Effects {
  const isOnlyLate = spent.length > 0 && spent.every((fault) => fault === 'table throttled')
  return isOnlyLate ? { ...effects, dead: new Map(), refusals: [] } : effects
}

/** A message that kills its sandbox must not cause other messages to be dead-lettered. */
function innocentsIn(
  { spent }: Simulation,
  expected: readonly Effects[],
  { dead }: Effects,
): CrashFinding[] {
  if (!spent.every((fault) => fault === 'killed each time')) return []
  const most = Math.max(...expected.map((each) => each.dead.size)) + spent.length
  if (expected.length === 0 || dead.size <= most) return []
  const messages = [...dead].map(([id, reason]) => `${id} (${reason})`).join(', ')
  const what = `${dead.size} messages were dead-lettered, but only ${most} of them kill their invocation: ${messages}`
  return [{ anomaly: 'lost', what }]
}
