import type { Outbound } from '../../queue/messenger.ts'
import type { Choices } from './choices.ts'
import { comeAgain } from './comeAgain.ts'
import { diceOf } from './dice.ts'
import { type Effects, effectsOf } from './effects.ts'
import { give } from './give.ts'
import { compareWith, type Finding } from './judge.ts'
import { openLab, type Terms } from './lab.ts'
import type { Setting } from './nextOptions.ts'
import { play, STUCK } from './play.ts'
import { surroundedBy } from './timers.ts'
import { surroundingsOf, type World } from './world.ts'

export interface Plan extends Setting {
  /** Sent at the start: the queue, and the message. */
  readonly messages: readonly { readonly queue: string; readonly message: Outbound }[]
  readonly terms: Terms
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
    const end = await play(lab, plan, choices, known)
    if (end === 'known') return undefined
    const effects = effectsOf(lab)
    const stuck = end === 'stuck' ? [STUCK] : []
    const findings = compareWith(expected, effects)
    const isOver = stuck.length + findings.length > 0 || expected.length === 0
    const late = isOver ? [] : await comeAgain(lab, plan, expected)
    return { effects, findings: [...stuck, ...findings, ...late], log: world.log }
  })
}
