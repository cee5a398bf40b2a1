import { THROTTLED } from './causes.ts'
import { type Facts, PARKED } from './facts.ts'
import type { Seen } from './look.ts'
import type { Recorded } from './world.ts'

type Finding = Seen['json']['findings'][number]

const MINUTE = 60_000

/** What runs, waits or is late. */
export function judgeActive(facts: Facts, { json }: Seen): readonly string[] {
  const { world, tableRead } = facts
  const found = json.findings.filter(({ kind }) => KINDS.has(kind))
  if (!tableRead) return found.length > 0 ? ['counts what it has not read'] : []
  const active = world.records.filter(({ status }) => !PARKED.has(status))
  return [
    ...judgeClocks(facts, json.findings),
    ...[...KINDS].flatMap((kind) =>
      judgeKind(
        facts,
        active,
        found.filter((each) => each.kind === kind),
        kind,
      ),
    ),
  ]
}

const KINDS: ReadonlySet<string> = new Set([
  'overdue',
  'stalled',
  'long wait',
  'long run',
  'retrying',
  'throttled',
])

function judgeKind(
  facts: Facts,
  active: readonly Recorded[],
  found: readonly Finding[],
  kind: string,
): readonly string[] {
  const { activeRead } = facts
  const wrong: string[] = []
  const owners = new Set([
    ...active.map(({ owner }) => owner),
    ...found.flatMap(({ of }) => of.split(', ')),
  ])
  for (const owner of owners) {
    const own = active.filter((each) => each.owner === owner && isOf(facts, each, kind))
    const named = found.filter(({ of }) => of.split(', ').includes(owner))
    const number = named.reduce((all, each) => all + each.number, 0)
    const isJoined = named.some(({ of }) => of !== owner)
    const about = `${kind} of ${owner}: ${number}, and not ${own.length}`
    if (kind === 'retrying') {
      // A note is made of many, or of one that was tried often.
      const isWorthIt = own.length >= 10 || own.some(({ attempt }) => attempt >= 4)
      if (number > own.length && !isJoined) wrong.push(about)
      if (isWorthIt && named.length === 0 && activeRead && !isParkedToo(facts, own))
        wrong.push(about)
    } else if (activeRead ? number !== own.length : number > counted(facts, active, owner, kind)) {
      wrong.push(about)
    }
    // At least one of each owner is read, and none of these is open.
    if (number > 0 && own.length === 0 && !isJoined) wrong.push(`invents ${kind} of ${owner}`)
    const due = own.map(({ dueAt }) => dueAt)
    const since = named.map((each) => Date.parse(each.since ?? ''))
    if (kind === 'overdue' && activeRead && !since.every((time) => due.includes(time)))
      wrong.push(`${kind} of ${owner}: of another time`)
  }
  return wrong
}

/** What was not read is counted as the index lists it. */
function counted(facts: Facts, active: readonly Recorded[], owner: string, kind: string): number {
  return active.filter(
    (each) =>
      each.owner === owner &&
      (isOf(facts, each, kind) ||
        (kind === 'overdue' && each.dueAt < facts.world.now + facts.world.behind - 2 * MINUTE)),
  ).length
}

/** Its cause is one of what is parked, and said there. */
function isParkedToo({ world }: Facts, own: readonly Recorded[]): boolean {
  const says = (each: { readonly cause: Recorded['cause'] }): string | undefined => each.cause?.says
  const parked = new Set(
    [...world.records.filter(({ status }) => PARKED.has(status)), ...world.letters].map(says),
  )
  return own.some((each) => each.cause !== undefined && parked.has(says(each)))
}

function isOf({ world }: Facts, record: Recorded, kind: string): boolean {
  const { status, dueAt, leaseUntil, giveUpAt = 0, claimedAt, runEnded = false } = record
  const now = world.now + world.behind
  if (status === 'complete' || runEnded) return false
  const isHeldBack = world.circuits.some(
    ({ owner }) => record.form === 'request' && record.owner === owner,
  )
  const isLate = dueAt < now - 2 * MINUTE
  switch (kind) {
    case 'overdue':
      return (
        isLate &&
        !(isHeldBack && status === 'inProgress') &&
        !(status === 'running' && giveUpAt > now)
      )
    case 'stalled':
      return status === 'running' && giveUpAt > now && leaseUntil < now - 2 * MINUTE
    case 'long wait':
      return status === 'awaiting' && claimedAt < now - 60 * MINUTE
    case 'long run':
      return status === 'inProgress' && leaseUntil > now && claimedAt < now - 60 * MINUTE
    case 'throttled':
      return record.cause === THROTTLED && status === 'inProgress'
    default:
      return status === 'inProgress' && record.cause !== THROTTLED && (!isLate || isHeldBack)
  }
}

function judgeClocks({ world }: Facts, findings: readonly Finding[]): readonly string[] {
  const found = findings.filter(({ kind }) => kind === 'wrong clock')
  const isOwn = found.some(({ of }) => of === 'this machine')
  const wrong: string[] = []
  if (isOwn !== (world.behind !== 0)) wrong.push(`the clock of this machine: ${isOwn}`)
  const ahead = world.records.filter(
    ({ claimedAt }) => claimedAt > world.now + world.behind + 10 * MINUTE,
  )
  for (const owner of new Set([...found.map(({ of }) => of), ...ahead.map((each) => each.owner)])) {
    if (owner === 'this machine') continue
    const own = ahead.filter((each) => each.owner === owner).length
    const said = found.find(({ of }) => of === owner)?.number ?? 0
    if (said > own || (own > 0 && said === 0))
      wrong.push(`${said} claims in the future of ${owner}, and not ${own}`)
  }
  return wrong
}
