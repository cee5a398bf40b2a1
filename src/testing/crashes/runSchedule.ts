import type { QueueMessage } from '../../queue/messenger.ts'
import type { Build } from './deliver.ts'
import type { Choices } from './choices.ts'
import { comeAgain } from './redeliverAll.ts'
import { diceOf } from './seededRandom.ts'
import { type Effects, effectsOf } from './effects.ts'
import { give } from './giveResult.ts'
import { compareWith, type Finding } from './judge.ts'
import { type Lab, openLab, type Terms } from './scheduleContext.ts'
import type { Setting } from './nextOptions.ts'
import { type End, play, STUCK } from './playSchedule.ts'
import { redrive } from './redrive.ts'
import { surroundedBy } from './timers.ts'
import { surroundingsOf, type World } from './simulation.ts'

export interface Plan extends Setting {
  /** Sent at the start: the queue, and the message. */
  readonly messages: readonly { readonly queue: string; readonly message: QueueMessage }[]
  readonly terms: Terms
  /** Who takes the dead letters that are sent back at the end; undefined: they are not. */
  readonly redriven?: Build
}

export interface Schedule {
  readonly effects: Effects
  readonly findings: readonly Finding[]
  readonly log: readonly string[]
}

/**
 * One schedule, from its start. undefined: it met a state that another one went on from.
 * @param expected what it may leave behind; nothing: it is one of those that say so
 */
export async function runSchedule(
  plan: Plan,
  world: World,
  choices: Choices,
  known: Set<string>,
  expected: readonly Effects[],
): Promise<Schedule | undefined> {
  const lab = openLab(world, plan.terms)
  const now = (): number => world.current?.clock.now() ?? world.now
  const nature = { now, random: diceOf(world) }
  return surroundedBy({ ...surroundingsOf(world), nature }, async () => {
    for (const { queue, message } of plan.messages) give(lab, queue, message)
    const end = await playAll(lab, plan, choices, known)
    if (end === 'known') return undefined
    const effects = effectsOf(lab)
    const stuck = end === 'stuck' ? [STUCK] : []
    const findings = [
      ...innocentsIn(world, expected, effects),
      ...compareWith(expected, excusable(world, effects)),
    ]
    const isOver = stuck.length + findings.length > 0 || expected.length === 0
    const late = isOver ? [] : await comeAgain(lab, lastOf(plan), expected)
    return { effects, findings: [...stuck, ...findings, ...late], log: world.log }
  })
}

/** Of what was sent back some may die again, of one more fault. */
const REDRIVES = 3

async function playAll(lab: Lab, plan: Plan, choices: Choices, known: Set<string>): Promise<End> {
  let end = await play(lab, plan, choices, known)
  for (let times = 0; times < REDRIVES && end === 'at rest'; times++) {
    if (plan.redriven === undefined || !redrive(lab, plan.queues[0] ?? '')) break
    end = await play(lab, lastOf(plan), choices, known)
  }
  return end
}

function lastOf(plan: Plan): Plan {
  return { ...plan, build: plan.redriven ?? plan.build }
}

/** Where nothing but time was needed, a dead letter excuses nothing. */
function excusable({ spent }: World, effects: Effects): Effects {
  const isOnlyLate = spent.length > 0 && spent.every((fault) => fault === 'table throttled')
  return isOnlyLate ? { ...effects, told: false } : effects
}

/** One message that kills its sandbox must not take others to the dead letters with it. */
function innocentsIn({ spent }: World, expected: readonly Effects[], { dead }: Effects): Finding[] {
  if (!spent.every((fault) => fault === 'killed each time')) return []
  const most = Math.max(...expected.map((each) => each.dead.size)) + spent.length
  if (expected.length === 0 || dead.size <= most) return []
  const letters = [...dead].map(([id, reason]) => `${id} (${reason})`).join(', ')
  const what = `${dead.size} messages were dead-lettered, where ${most} kill whoever runs them: ${letters}`
  return [{ trouble: 'lost', what }]
}
