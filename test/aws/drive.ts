import { setTimeout as sleep } from 'node:timers/promises'
import { isExpected, isSame, runChecks, type Seen, toLine } from './checks/check.ts'
import { openDesk } from './checks/desk.ts'
import { CHECKS } from './checks/list.ts'
import { type Course, type Entry, isRight } from './courses/course.ts'
import { COURSES, NOT_DRIVEN } from './courses/list.ts'
import type { Place } from './places/place.ts'
import { openStage, type Pace } from './stage.ts'

export interface Report {
  readonly seen: readonly Seen[]
  readonly books: readonly (Entry & { readonly course: string })[]
  /** Courses that did not come to an end, and why. */
  readonly unended: readonly string[]
  /** Dead, undelivered or open at the end. */
  readonly left: readonly string[]
}

export interface DriveOptions {
  readonly pace: Pace
  readonly disturbedMs: number
  readonly say: (line: string) => void
}

/** Checks the assumptions, drives all courses while functions are cut off, and reads the books when all is at rest. */
export async function drive(place: Place, options: DriveOptions): Promise<Report> {
  const { pace, disturbedMs, say } = options
  pace.check()
  const desk = await openDesk(place.clients, `${pace.prefix}check-`, place.answered)
  const checking = runChecks(desk, CHECKS)
  const stage = openStage(place, pace)
  const courses = COURSES.map((open) => open(stage))
  say(
    `\n${courses.length} courses, all sent twice, for ${disturbedMs / 1_000} s to functions that are cut off:`,
  )
  const restore = await place.disturb()
  const driven = courses.map(driveOne)
  try {
    await Promise.race([sleep(disturbedMs), Promise.all(driven)])
  } finally {
    await restore()
  }
  const unended = (await Promise.all(driven)).flat()
  pace.check()
  await stage.until('queues', () => stage.waiting(CONSUMED), isEmpty)
  const books: (Entry & { course: string })[] = []
  for (const course of courses) {
    const entries = await course.books()
    books.push(...entries.map((entry) => ({ ...entry, course: course.name })))
  }
  const dead = Object.entries(await stage.waiting(/DeadLetters$|Undelivered$|Undone$/))
  const open = (await stage.rows('lineclear')).flatMap((row) =>
    isOpen(row) ? [`${row['pk']}`] : [],
  )
  const seen = await checking
  const left = [...dead.map(([queue, count]) => `${queue}: ${count}`), ...open]
  return { seen, books, unended, left }
}

/** @returns why it has not come to its end */
async function driveOne({ name, drive: send }: Course): Promise<readonly string[]> {
  try {
    await send()
    return []
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
}

/** Queues of consumers. Others are read by courses, or by nobody. */
export const CONSUMED =
  /^(?!(?:Airline|Answers|Hotel|Rebuilt|Receipts|Remind|Transfers)Queue$)[A-Z]\w*Queue$/

function isEmpty(waiting: object): boolean {
  return Object.keys(waiting).length === 0
}

/** Reminders wait for a day, and a dead shipment for nobody. */
export function isOpen({
  sk = '',
  pk = '',
  statusShard,
}: Readonly<Record<string, string>>): boolean {
  return statusShard !== undefined && sk !== 'later' && !pk.startsWith('lock#shipments/')
}

/** @returns whether the books are right, and all is as we assume, or known to be otherwise on this engine */
export function tell(report: Report, say: (line: string) => void, engine: string): boolean {
  const { seen, books, unended, left } = report
  say(`\n${seen.length} assumptions:`)
  const unexpected = seen.filter((one) => !isExpected(engine, one))
  for (const one of seen) say(toLine(engine, one))
  say(`\n${books.length} lines of the books:`)
  const wrong = books.filter((entry) => !isRight(entry))
  for (const { course, what, wanted, had } of books) {
    const isWrong = wrong.some((entry) => entry.course === course && entry.what === what)
    const instead = isWrong ? `, not ${JSON.stringify(wanted)}` : ''
    say(
      `${isWrong ? 'WRONG     ' : 'right     '} ${course}: ${what}: ${JSON.stringify(had)}${instead}`,
    )
  }
  for (const line of unended) say(`WRONG      not ended: ${line}`)
  for (const line of left) say(`WRONG      left: ${line}`)
  for (const [name, why] of Object.entries(NOT_DRIVEN)) say(`not driven ${name}: ${why}`)
  say(
    `\n${books.length - wrong.length} of ${books.length} lines of the books are right, ${seen.filter(isSame).length} of ${seen.length} assumptions are as we assume.`,
  )
  return wrong.length + unended.length + left.length + unexpected.length === 0
}
