import { CAUSES, DOUBT } from './causes.ts'
import { type Facts, hasLostRecord, isInDoubt, listedAs, PARKED } from './facts.ts'
import type { Seen } from './look.ts'
import { type Cause, type Letter, nameOf, type Recorded } from './world.ts'

type Finding = Seen['json']['findings'][number]

const ALL: readonly Cause[] = [...CAUSES, DOUBT]

/** Requests that have failed: each is counted once, where it is, with its cause. */
export function judgeFailed(facts: Facts, { json }: Seen): readonly string[] {
  const failed = json.findings.filter(({ kind }) => KINDS.has(kind))
  return [
    ...failed.flatMap((each) => judgeOne(facts, each)),
    ...ALL.flatMap((cause) =>
      judgeCause(
        facts,
        failed.filter((each) => isAbout(each, cause)),
        cause,
      ),
    ),
    ...judgeNameless(facts, failed),
    ...judgeLost(facts, failed),
    ...judgeUnlooked(facts, failed),
    ...judgeTotal(facts, failed),
  ]
}

const KINDS: ReadonlySet<string> = new Set([
  'dead letters',
  'lost record',
  'stopped',
  'dead',
  'no dead letter',
  'unknown outcome',
])
const BY_RECORD: ReadonlySet<string> = new Set(['stopped', 'dead', 'no dead letter'])

function isAbout({ what }: Finding, { says }: Cause): boolean {
  return what.includes(says)
}

function sum(findings: readonly Finding[]): number {
  return findings.reduce((all, { number }) => all + number, 0)
}

/** Each finding says one cause, or that it does not know it, and names only queues and owners that have it. */
function judgeOne(facts: Facts, finding: Finding): readonly string[] {
  const { kind, of, what, number, next } = finding
  const causes = ALL.filter((each) => isAbout(finding, each))
  const wrong: string[] = []
  const line = `${number} ${kind} of ${of}: ${what}`
  if (causes.length > 1) wrong.push(`mixes causes: ${line}`)
  if (number < 1) wrong.push(`counts nothing: ${line}`)
  const [cause] = causes
  for (const name of of.split(', ')) {
    if (cause !== undefined && !has(facts, name, cause))
      wrong.push(`${name} has no such failure: ${line}`)
  }
  if (next.trim() === '') wrong.push(`says no next step: ${line}`)
  return wrong
}

function has({ world }: Facts, name: string, cause: Cause): boolean {
  return (
    world.letters.some((each) => each.queue === name && each.cause === cause) ||
    world.records.some((each) => each.owner === name && each.cause === cause)
  )
}

/** Of one cause: the numbers, and the times of the oldest and the newest. */
function judgeCause(facts: Facts, findings: readonly Finding[], cause: Cause): readonly string[] {
  const { world, maybe, parkedRead, isDenied } = facts
  const letters = facts.read.filter(
    (each) => each.cause === cause && !isInDoubt(each, facts) && !hasLostRecord(each, facts),
  )
  const records = world.records.filter((each) => each.cause === cause && PARKED.has(each.status))
  const own = withoutRead(facts, records)
  const doubts = records.filter(({ status }) => status === 'unknown')
  const about = `${cause.says}: `
  const [onQueues, inTable, doubtful] = [
    findings.filter(({ kind }) => kind === 'dead letters'),
    findings.filter(({ kind }) => BY_RECORD.has(kind)),
    findings.filter(({ kind }) => kind === 'unknown outcome'),
  ]
  const wrong: string[] = []
  const isSampled = maybe.some((each) => each.cause === cause)
  if (!isSampled) {
    wrong.push(
      ...exact(
        `${about}dead letters`,
        onQueues,
        letters.map(({ sentAt }) => sentAt),
      ),
    )
    const names = [...new Set(letters.map(({ queue }) => queue))].toSorted().join(', ')
    if (letters.length > 0 && onQueues[0]?.of !== names) wrong.push(`${about}not of ${names}`)
    if (onQueues.length > 1) wrong.push(`${about}more than one finding`)
    if (onQueues.some(({ atLeast }) => atLeast)) wrong.push(`${about}all were read`)
    wrong.push(...judgePace(facts, about, onQueues, letters))
  } else {
    const most = letters.length + letterCount(maybe, cause) + records.length
    const seen = sum(onQueues) + sum(inTable)
    if (seen > most) wrong.push(`${about}counts ${seen} of ${most}`)
    if (onQueues.some(({ number, atLeast }) => !atLeast && number !== letters.length))
      wrong.push(`${about}not all were read`)
  }
  if (parkedRead && !isSampled) {
    wrong.push(...exact(`${about}records`, inTable, own.map(timeOf)))
    wrong.push(...exact(`${about}in doubt`, doubtful, doubts.map(timeOf)))
  } else if (!isDenied('index') && !isSampled) {
    if (sum(inTable) > own.length)
      wrong.push(`${about}counts ${sum(inTable)} of ${own.length} records`)
    if (sum(doubtful) > doubts.length) wrong.push(`${about}counts more doubts than there are`)
  } else if (isDenied('index') && inTable.length + doubtful.length > 0) {
    wrong.push(`${about}counts what it has not read`)
  }
  return [...wrong, ...judgeLetterless(facts, inTable, records, about)]
}

function judgePace(
  { world }: Facts,
  about: string,
  [finding]: readonly Finding[],
  letters: readonly Letter[],
): readonly string[] {
  if (finding === undefined) return []
  const since = world.now + world.behind - 10 * 60_000
  const lately = letters.filter(({ sentAt }) => sentAt > since).length
  const said = /(\d+) in the last 10 min/.exec(finding.pace)?.[1] ?? '0'
  const isNone = lately === 0 || letters.length === 1
  return Number(said) === (isNone ? 0 : lately)
    ? []
    : [`${about}${said} in the last 10 min, and not ${lately}`]
}

function letterCount(letters: readonly Letter[], cause: Cause): number {
  return letters.filter((each) => each.cause === cause).length
}

/** When it was claimed; of a run, when it has died. */
function timeOf({ form, claimedAt, dueAt }: Recorded): number {
  return form === 'run' ? dueAt : claimedAt
}

/** Without those whose letters come: they are counted by these. What is in doubt is counted by its record. */
function withoutRead({ read }: Facts, records: readonly Recorded[]): readonly Recorded[] {
  const names = new Set(read.flatMap(({ of }) => (of === undefined ? [] : nameOf(of))))
  return records.filter((each) => each.status !== 'unknown' && !names.has(nameOf(each)))
}

function exact(
  about: string,
  findings: readonly Finding[],
  times: readonly number[],
): readonly string[] {
  const wrong: string[] = []
  if (sum(findings) !== times.length)
    wrong.push(`${about}: ${sum(findings)} and not ${times.length}`)
  if (times.length === 0 || findings.length === 0) return wrong
  const since = findings.map((each) => Date.parse(each.since ?? ''))
  const oldest = Math.min(...times)
  if (!since.every((time) => times.includes(time))) wrong.push(`${about}: none is so old`)
  if (Math.min(...since) !== oldest) wrong.push(`${about}: the oldest is of another time`)
  const newest = findings.flatMap((each) =>
    each.newest === undefined ? [] : Date.parse(each.newest),
  )
  if (!newest.every((time) => times.includes(time))) wrong.push(`${about}: none is so new`)
  return wrong
}

/** That a record has no dead letter is known only if every queue was read whole, and SQS has had time to count. */
function judgeLetterless(
  facts: Facts,
  findings: readonly Finding[],
  records: readonly Recorded[],
  about: string,
): readonly string[] {
  const { world, reach, tableRead } = facts
  const lettered = new Set(world.letters.flatMap(({ of }) => (of === undefined ? [] : nameOf(of))))
  const gone = records.filter(
    (each) => each.lettered && each.status !== 'unknown' && !lettered.has(nameOf(each)),
  )
  const said = findings.filter(({ kind }) => kind === 'no dead letter')
  if (sum(said) > gone.length)
    return [`${about}invents ${sum(said)} without a dead letter of ${gone.length}`]
  const isWhole =
    tableRead &&
    facts.parkedRead &&
    world.denied.size === 0 &&
    [...reach.values()].every((each) => each === 'whole')
  return isWhole && sum(said) !== gone.length
    ? [`${about}hides ${gone.length} without a dead letter`]
    : []
}

/** Letters that say no cause: by queue and origin. */
function judgeNameless(facts: Facts, failed: readonly Finding[]): readonly string[] {
  const wrong: string[] = []
  const nameless = facts.read.filter(({ cause }) => cause === undefined)
  const groups = Map.groupBy(nameless, ({ queue, from = '' }) => JSON.stringify([queue, from]))
  const found = failed.filter(
    ({ kind, what }) => kind === 'dead letters' && /^(moved|none) of /.test(what),
  )
  const ofWhole = found.filter(({ of }) => facts.reach.get(of) === 'whole')
  for (const [key, letters] of groups) {
    const [queue = '', from = ''] = JSON.parse(key) as string[]
    const origin = from === '' ? 'none of not said' : `moved of queue ${from}:`
    const own = ofWhole.filter(({ of, what }) => of === queue && what.startsWith(origin))
    wrong.push(
      ...exact(
        `${origin} on ${queue}`,
        own,
        letters.map(({ sentAt }) => sentAt),
      ),
    )
  }
  if (sum(ofWhole) > nameless.length) wrong.push('invents letters without a cause')
  return wrong
}

function judgeLost(facts: Facts, failed: readonly Finding[]): readonly string[] {
  const found = failed.filter(({ kind }) => kind === 'lost record')
  const isLost = (each: Letter): boolean => hasLostRecord(each, facts)
  const least = facts.read.filter(isLost)
  const most = least.length + facts.maybe.filter(isLost).length
  const wrong: string[] = []
  if (sum(found) < least.length || sum(found) > most)
    wrong.push(`${sum(found)} lost records, and not ${least.length} to ${most}`)
  for (const { of, what, number, since } of found) {
    const times = [...least, ...facts.maybe]
      .filter((each) => each.queue === of)
      .map(({ sentAt }) => sentAt)
    if (!times.includes(Date.parse(since ?? '')))
      wrong.push(`no record of ${of} is lost so long: ${number}`)
    const isRight = [...least, ...facts.maybe].some(
      ({ queue, cause }) => queue === of && cause !== undefined && what.includes(cause.says),
    )
    if (!isRight) wrong.push(`no record of ${of} is lost: ${what}`)
  }
  return wrong
}

/** SQS counts them, and none came. */
function judgeUnlooked(facts: Facts, failed: readonly Finding[]): readonly string[] {
  const found = failed.filter(({ what }) => what === 'not looked at')
  const wrong: string[] = []
  for (const [queue, reach] of facts.reach) {
    const own = found.filter(({ of }) => of === queue)
    const counted = facts.lettersOf(queue).filter(({ uncounted }) => !uncounted).length
    const expected = reach === 'unread' ? counted : 0
    if (sum(own) !== expected)
      wrong.push(`${sum(own)} of ${queue} not looked at, and not ${expected}`)
    if (own.some(({ atLeast }) => !atLeast)) wrong.push(`${queue} may have more`)
  }
  if (found.some(({ of }) => !facts.reach.has(of))) wrong.push('looks at a queue that is not there')
  return wrong
}

/** What was counted and not read is counted without a cause, and nothing is counted twice. */
function judgeTotal(facts: Facts, failed: readonly Finding[]): readonly string[] {
  const { world, maybe, isDenied } = facts
  const wrong: string[] = []
  const parked = world.records.filter(({ status }) => PARKED.has(status))
  const unread = failed.filter(({ what }) => what.startsWith('why was not read'))
  if (facts.parkedRead && unread.length > 0) wrong.push('all causes were read')
  if (isDenied('index') || maybe.length > 0) return wrong
  const own = withoutRead(facts, parked)
  const said = sum(failed.filter(({ kind }) => BY_RECORD.has(kind)))
  if (facts.tableRead && said !== own.length)
    wrong.push(`${said} records wait, and not ${own.length}`)
  const doubts = parked.filter(({ status }) => status === 'unknown').length
  const doubted = sum(failed.filter(({ kind }) => kind === 'unknown outcome'))
  if (facts.tableRead && doubted !== doubts) wrong.push(`${doubted} in doubt, and not ${doubts}`)
  for (const { of, number, kind } of unread) {
    const most = parked.filter(
      ({ owner, status }) => owner === of && kindOf(status) === kind,
    ).length
    if (number > most) wrong.push(`${number} of ${of} were not read, of ${most}`)
  }
  return wrong
}

function kindOf(status: Recorded['status']): string {
  const kinds: Readonly<Record<string, string>> = { error: 'stopped', unknown: 'unknown outcome' }
  return kinds[status] ?? listedAs(status)
}
