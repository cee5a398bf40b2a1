import type { Effects } from './effects.ts'
import { rowText } from '../simulation/sentEffects.ts'
import { heldText } from '../simulation/scheduleContext.ts'
import type { UserItem } from '../../../library/protocol/store/store.ts'
import { canonical } from '../../../library/protocol/store/value.ts'

/**
 * What is wrong after a schedule. `lost`: an effect did not happen, and neither a dead letter nor an error reports it.
 * `doubled`: an effect happened more than once. `stale`: a row or a message has a value that a run without faults never leaves
 * there. `stuck`: messages are redelivered without end.
 */
export type Anomaly = 'lost' | 'doubled' | 'stale' | 'stuck'

/** One thing that is wrong after a schedule. */
export interface CrashFinding {
  readonly anomaly: Anomaly
  readonly what: string
}

/** Correct effects equal those of one of the runs without faults that has completed the same runs of flows. */
export function compareWith(expected: readonly Effects[], found: Effects): CrashFinding[] {
  const alike = expected.filter(({ completed }) => isSame(completed, found.completed))
  const each = (alike.length > 0 ? alike : expected).map((one) => compareEffects(one, found))
  return each.toSorted((one, other) => one.length - other.length)[0] ?? []
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each))
}

export function compareEffects(expected: Effects, found: Effects): CrashFinding[] {
  const clashes = found.clashes.map((what): CrashFinding => ({ anomaly: 'lost', what }))
  const findings: readonly Judged[] = [
    ...compareCounts(expected, found),
    ...compareContents(expected, found),
    ...compareRows(expected, found),
    ...compareOrders(expected, found),
    ...compareDead(expected, found),
  ]
  const isExcused = isReported(expected, found)
  const isLeftOut = ({ anomaly, isOlder }: Judged): boolean =>
    anomaly === 'lost' || isOlder === true
  const reported = isExcused ? findings.filter((each) => !isLeftOut(each)) : findings
  // A clash is never excused, because no dead letter reports the request that was mistaken for another one.
  return [...clashes, ...reported.map(({ anomaly, what }) => ({ anomaly, what }))]
}

/**
 * An operator or the caller knows of a failure that a run without faults does not have. A death that was meant, with its own reason,
 * excuses nothing.
 */
export function isReported(expected: Effects, found: Effects): boolean {
  const isOther = ([id, reason]: readonly [string, string]): boolean =>
    expected.dead.get(id) !== reason
  return found.refusals.length > expected.refusals.length || [...found.dead].some(isOther)
}

interface Judged extends CrashFinding {
  /** The row has the value from before a change that did not happen. */
  readonly isOlder?: boolean
}

function compareCounts(expected: Effects, found: Effects): CrashFinding[] {
  const names = new Set([...expected.counts.keys(), ...found.counts.keys()])
  return [...names].flatMap((name): CrashFinding[] => {
    const [wanted, is] = [expected.counts.get(name) ?? 0, found.counts.get(name) ?? 0]
    if (is === wanted) return []
    const what = `${name}: ${is} times, ${wanted} without faults`
    return [{ anomaly: is > wanted ? 'doubled' : 'lost', what }]
  })
}

/** The right number of messages with the wrong content. */
function compareContents(expected: Effects, found: Effects): CrashFinding[] {
  return [...expected.contents].flatMap(([name, wanted]): CrashFinding[] => {
    const is = found.contents.get(name) ?? []
    if (is.length !== wanted.length) return []
    const [other, missing] = [without(is, wanted), without(wanted, is)]
    if (other.length === 0) return []
    const what = `${name}: ${other.join(', ')}, without faults ${missing.join(', ')}`
    return [{ anomaly: 'stale', what }]
  })
}

/** The texts that `others` does not have, or has less often. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return texts.filter((text) => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** The right messages of a FIFO group in the wrong order. */
function compareOrders(expected: Effects, found: Effects): CrashFinding[] {
  return [...expected.orders].flatMap(([group, wanted]): CrashFinding[] => {
    const is = found.orders.get(group) ?? []
    const isSame = without(is, wanted).length === 0 && is.length === wanted.length
    if (!isSame || is.every((body, at) => body === wanted[at])) return []
    const what = `the ${group} arrived as ${is.join(', ')}, without faults ${wanted.join(', ')}`
    return [{ anomaly: 'stale', what }]
  })
}

/** A death that was meant is an effect like others: its dead letter must be there. */
function compareDead(expected: Effects, found: Effects): CrashFinding[] {
  return [...expected.dead]
    .filter(([id]) => !found.dead.has(id))
    .map(([id, reason]) => ({ anomaly: 'lost', what: `the dead letter of ${id} (${reason})` }))
}

function compareRows(expected: Effects, found: Effects): Judged[] {
  const names = new Set([...expected.rows.keys(), ...found.rows.keys()])
  const seeded = new Map([...expected.seeded, ...found.seeded])
  return [...names].flatMap((name) =>
    compareRow(name, { ...expected, seeded }, found.rows.get(name)),
  )
}

function compareRow(
  name: string,
  { rows, held, seeded }: Effects,
  is: UserItem | undefined,
): Judged[] {
  const wanted = rows.get(name)
  if (is === undefined) return [{ anomaly: 'lost', what: `the row ${name} is missing` }]
  const start = seeded.get(name)
  if (wanted === undefined) {
    const anomaly = start === undefined ? 'doubled' : 'lost'
    return [{ anomaly, what: `the row ${name} is one too many` }]
  }
  if (canonical(wanted) === canonical(is)) return []
  const isStart = (field: string): boolean =>
    start !== undefined && canonical(start[field] ?? null) === canonical(is[field] ?? null)
  const isOlder = (field: string): boolean =>
    isStart(field) || held.has(heldText(name, field, is[field] ?? null))
  const what = `the row ${name} is ${rowText(is)}, without faults ${rowText(wanted)}`
  const differing = differingIn(wanted, is)
  const anomaly = anomalyIn(differing, { start, wanted, is }, isOlder)
  return [{ anomaly, what, isOlder: differing.every(isOlder) }]
}

interface Versions {
  readonly start: UserItem | undefined
  readonly wanted: UserItem
  readonly is: UserItem
}

function differingIn(wanted: UserItem, is: UserItem): string[] {
  return Object.keys({ ...wanted, ...is }).filter(
    (field) => canonical(is[field] ?? null) !== canonical(wanted[field] ?? null),
  )
}

/**
 * A sum that has made only part of its way from the start is lost. One that has gone further, or the other way, is doubled:
 * something was added that should not have been, and no dead letter excuses that. Any other value is stale.
 */
function anomalyIn(
  differing: readonly string[],
  { start, wanted, is }: Versions,
  isOlder: (field: string) => boolean,
): Anomaly {
  const sums = differing.map((field): Anomaly => {
    const [before, after] = [wanted[field] ?? 0, is[field] ?? 0]
    if (isOlder(field) || typeof before !== 'number' || typeof after !== 'number') return 'stale'
    const from = start?.[field]
    const origin = typeof from === 'number' ? from : 0
    return isPartOf(after - origin, before - origin) ? 'lost' : 'doubled'
  })
  return sums.find((anomaly) => anomaly !== 'lost') ?? 'lost'
}

function isPartOf(change: number, right: number): boolean {
  return change * right >= 0 && Math.abs(change) <= Math.abs(right)
}
