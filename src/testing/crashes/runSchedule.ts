import type { Option } from './call.ts'
import type { Choices } from './choices.ts'
import type { Build } from './deliver.ts'
import { type Effects, effectsOf, identityOf } from './effects.ts'
import { compare, type Finding } from './judge.ts'
import { type Lab, openLab, queueOf, type Terms } from './lab.ts'
import { stableId } from '../../ids.ts'
import { nextOptions, type Setting } from './nextOptions.ts'
import type { Outbound } from '../../queue/messenger.ts'
import { type Letter, put } from './sqs.ts'
import { stateOf } from './stateOf.ts'
import { drained, surroundedBy } from './timers.ts'
import { surroundingsOf, type World } from './world.ts'

export interface Plan {
  readonly build: Build
  readonly queues: readonly string[]
  /** Sent at the start: the queue, and the message. */
  readonly messages: readonly { readonly queue: string; readonly message: Outbound }[]
  /** Invocations that may run side by side, until so many were started. */
  readonly together: number
  readonly terms: Terms
}

export interface Schedule {
  readonly effects: Effects
  readonly findings: readonly Finding[]
  readonly log: readonly string[]
}

/** More deliveries than any schedule of few faults needs: beyond, something never comes to rest. */
const RESTLESS = 40

/** One schedule, from its start. undefined: it met a state that another one went on from. */
export async function runSchedule(
  plan: Plan,
  world: World,
  choices: Choices,
  known: Set<string>,
  expected: Effects | undefined,
): Promise<Schedule | undefined> {
  const lab = openLab(world, plan.terms)
  const nature = { now: () => world.now, random: randomIn(world) }
  return surroundedBy({ ...surroundingsOf(world), nature }, async () => {
    for (const { queue, message } of plan.messages) put(queueOf(lab, queue), message, world.now)
    const setting = { ...plan, together: plan.together }
    const end = await play(lab, setting, choices, known)
    if (end === 'known') return undefined
    const sources = plan.messages.flatMap(({ queue }) =>
      queueOf(lab, queue).all.slice(0, plan.messages.length).map(identityOf),
    )
    const effects = effectsOf(lab, sources)
    const stuck = end === 'stuck' ? [STUCK] : []
    const findings = expected === undefined ? [] : compare(expected, effects)
    const late = stuck.length + findings.length > 0 ? [] : await comeAgain(lab, setting, sources)
    return { effects, findings: [...stuck, ...findings, ...late], log: world.log }
  })
}

/** Chance of an invocation's own, and the same whenever the schedule is repeated. */
function randomIn(world: World): () => number {
  const drawn = new Map<number, number>()
  return () => {
    const number = world.current?.number ?? 0
    const count = drawn.get(number) ?? 0
    drawn.set(number, count + 1)
    const drawnNow = Buffer.from(stableId('chance', `${number}`, `${count}`), 'base64url')
    return drawnNow.readUInt32BE(0) / 2 ** 32
  }
}

const STUCK: Finding = { trouble: 'stuck', what: 'it never came to rest' }

type End = 'at rest' | 'known' | 'stuck'

/** Lets everything happen that can, as chosen, until nothing is left. */
async function play(
  lab: Lab,
  setting: Setting,
  choices: Choices,
  known: Set<string>,
): Promise<End> {
  const { world } = lab
  const most = world.actors.length + RESTLESS
  for (;;) {
    await quietIn(world)
    if (world.actors.length > most) return 'stuck'
    const options = nextOptions(lab, setting)
    if (options.length === 0) return isRunning(world) ? 'stuck' : 'at rest'
    if (choices.isNew() && isKnown(lab, known)) return 'known'
    const option = options[options.length > 1 ? choices.pick(options.length) : 0]
    if (option !== undefined) take(world, option)
  }
}

function isRunning({ actors }: World): boolean {
  return actors.some(({ state }) => state === 'running')
}

function isKnown(lab: Lab, known: Set<string>): boolean {
  const state = stateOf(lab)
  if (known.has(state)) return true
  known.add(state)
  return false
}

/** Modules are loaded at the first call, and that is no microtask. */
const TURNS = 50
const turn = setImmediate

async function quietIn(world: World): Promise<void> {
  await drained()
  for (let turns = 0; turns < TURNS; turns++) {
    if (!isRunning(world) || world.pending.length + world.timers.length > 0) return
    await new Promise((resolve) => turn(resolve))
    await drained()
  }
}

function take(world: World, { words, fault, take: happen }: Option): void {
  if (words !== '') world.log.push(words)
  if (fault !== undefined) {
    world.faultsLeft -= 1
    world.faultsSpent += 1
  }
  happen()
}

/** At the end every message that was ever delivered comes once more: nothing may come of it. */
async function comeAgain(
  lab: Lab,
  setting: Setting,
  sources: readonly string[],
): Promise<Finding[]> {
  const { world } = lab
  const before = effectsOf(lab, sources)
  world.faultsLeft = 0
  for (const queue of setting.queues) {
    for (const letter of queueOf(lab, queue).delivered.slice()) {
      world.log.push(`${letter.id} of ${queue} comes once more, when all is over`)
      again(lab, queue, letter)
      if ((await play(lab, { ...setting, together: 0 }, FIRST, new Set())) === 'stuck')
        return [STUCK]
    }
  }
  return compare(before, effectsOf(lab, sources))
}

function again(lab: Lab, queue: string, letter: Letter): void {
  const copy = put(queueOf(lab, queue), letter.message, lab.world.now)
  queueOf(lab, queue).all.pop()
  Object.assign(copy, { id: letter.id, receives: letter.receives })
}

const FIRST: Choices = { pick: () => 0, isNew: () => false }
