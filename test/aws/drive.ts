import { setTimeout as sleep } from 'node:timers/promises'
import { isExpected, isSame, runChecks, toLine } from './checks/check.ts'
import { openDesk } from './checks/desk.ts'
import { CHECKS } from './checks/list.ts'
import { type Course, isRight } from './courses/course.ts'
import { COURSES, NOT_DRIVEN } from './courses/list.ts'
import type { Place } from './places/place.ts'
import { openStage, type Pace, type Stage } from './stage.ts'

export interface DriveOptions {
  /** What engines of ours are known to do otherwise is no surprise. */
  readonly engine: 'aws' | 'local' | 'ministack'
  readonly pace: Pace
  readonly disturbedMs: number
  /** As long as counts of queues may be late. */
  readonly restMs: number
  readonly say: (line: string) => void
}

/** @returns whether the books are right, and all is as we assume, or as it is known of this engine */
export async function drive(place: Place, options: DriveOptions): Promise<boolean> {
  options.pace.check()
  const both = await Promise.allSettled([compare(place, options), play(place, options)])
  // Only now: what the other one makes meanwhile would outlive the removal.
  for (const one of both) if (one.status === 'rejected') throw one.reason
  return both.every((one) => one.status === 'fulfilled' && one.value)
}

async function compare(place: Place, { engine, pace, say }: DriveOptions): Promise<boolean> {
  const desk = await openDesk(place.clients, `${pace.prefix}check-`, place.answered)
  const seen = await runChecks(desk, CHECKS, () => pace.check())
  for (const one of seen) say(toLine(engine, one))
  say(`${seen.filter(isSame).length} of ${seen.length} assumptions are as we assume.\n`)
  return seen.every((one) => isExpected(engine, one))
}

/** Drives all courses while functions are cut off, sends everything again when all is at rest, and reads the books. */
async function play(place: Place, options: DriveOptions): Promise<boolean> {
  const { pace, disturbedMs, restMs, say } = options
  const stage = openStage(place, pace)
  const courses = COURSES.map((open) => open(stage))
  say(
    `${courses.length} courses, all sent twice; functions are cut off for ${disturbedMs / 1_000} s.\n`,
  )
  const restore = await place.disturb()
  const driven = courses.map((course) => driveOne(course, say))
  try {
    await Promise.race([sleep(disturbedMs), Promise.all(driven)])
  } finally {
    await restore()
  }
  const ended = await Promise.all(driven)
  pace.check()
  await quiet(stage, restMs)
  say(`${await stage.again()} requests, once more.\n`)
  await quiet(stage, restMs)
  for (const [name, why] of Object.entries(NOT_DRIVEN)) say(`not driven ${name}: ${why}`)
  const right: boolean[] = [...ended]
  for (const course of courses) right.push(await readBooks(course, say))
  const left = await leftOn(stage)
  for (const line of left) say(`WRONG      left: ${line}`)
  say(
    left.length === 0 && right.every(Boolean)
      ? '\nThe books are right.\n'
      : '\nWRONG      the books\n',
  )
  return left.length === 0 && right.every(Boolean)
}

type Say = DriveOptions['say']

async function driveOne({ name, drive: send }: Course, say: Say): Promise<boolean> {
  try {
    await send()
    return true
  } catch (error) {
    say(`WRONG      not ended: ${name}: ${String(error)}`)
    return false
  }
}

/** Until no message is on its way. */
export async function quiet(stage: Stage, restMs: number): Promise<void> {
  for (const pause of [restMs, 0]) {
    const waiting = () => stage.waiting(CONSUMED)
    await stage.until('queues', waiting, (queues) => Object.keys(queues).length === 0)
    await sleep(pause)
  }
}

/** Queues of consumers. Others are read by courses, or by nobody. */
const CONSUMED =
  /^(?!(?:Airline|Answers|Hotel|Rebuilt|Receipts|Remind|Transfers)Queue$)[A-Z]\w*Queue$/

async function readBooks({ name, books }: Course, say: Say): Promise<boolean> {
  const entries = await books()
  for (const entry of entries) {
    const { what, had, wanted } = entry
    const line = `${name}: ${what}: ${JSON.stringify(had)}`
    say(isRight(entry) ? `right      ${line}` : `WRONG      ${line}, not ${JSON.stringify(wanted)}`)
  }
  return entries.every(isRight)
}

/** Dead, undelivered or open. */
async function leftOn(stage: Stage): Promise<readonly string[]> {
  const dead = await stage.waiting(/DeadLetters$|Undelivered$|Undone$/)
  const rows = (await stage.rows('lineclear')).filter(isOpen)
  const queues = Object.entries(dead).map(([queue, count]) => `${queue}: ${count}`)
  return [...queues, ...rows.map(({ pk = '' }) => pk)]
}

/** Reminders wait for a day. */
export function isOpen({ sk = '', statusShard }: Readonly<Record<string, string>>): boolean {
  return statusShard !== undefined && sk !== 'later'
}
