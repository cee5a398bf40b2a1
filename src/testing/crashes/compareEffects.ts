import { type Effects, isPlainNumber } from './effects.ts'
import { rowText } from './plain.ts'
import { heldText } from './rows.ts'
import type { UserItem } from '../../store/store.ts'
import { canonical } from '../../store/value.ts'

/**
 * `lost`: an effect did not happen, and nobody was told. `doubled`: it happened more than once. `stale`: a row holds what no
 * run without faults leaves there. `stuck`: it never came to rest.
 */
export type Anomaly = 'lost' | 'doubled' | 'stale' | 'stuck'

export interface CrashFinding {
  readonly trouble: Anomaly
  readonly what: string
}

/** Held against what runs leave in which nothing goes wrong: it has to be as after one of them. */
export function compareWith(expected: readonly Effects[], found: Effects): CrashFinding[] {
  const [first = [], ...others] = expected.map((each) => compare(each, found))
  return others.some((findings) => findings.length === 0) ? [] : first
}

export function compare(expected: Effects, found: Effects): CrashFinding[] {
  const clashes = found.clashes.map((what): CrashFinding => ({ trouble: 'lost', what }))
  const findings: readonly Judged[] = [
    ...compareCounts(expected, found),
    ...compareContents(expected, found),
    ...compareRows(expected, found),
    ...compareOrders(expected, found),
  ]
  const isExcused = found.told && !expected.told
  const isLeftOut = ({ trouble, isOlder }: Judged): boolean =>
    trouble === 'lost' || isOlder === true
  const told = isExcused ? findings.filter((each) => !isLeftOut(each)) : findings
  // Nobody is told of a second request that was taken for the first one.
  return [...clashes, ...told.map(({ trouble, what }) => ({ trouble, what }))]
}

interface Judged extends CrashFinding {
  /** The row is as it was before a change that did not take place. */
  readonly isOlder?: boolean
}

function compareCounts(expected: Effects, found: Effects): CrashFinding[] {
  const names = new Set([...expected.counts.keys(), ...found.counts.keys()])
  return [...names].flatMap((name): CrashFinding[] => {
    const [wanted, is] = [expected.counts.get(name) ?? 0, found.counts.get(name) ?? 0]
    if (is === wanted) return []
    const what = `${name}: ${is} times, ${wanted} without faults`
    return [{ trouble: is > wanted ? 'doubled' : 'lost', what }]
  })
}

/** Where as many messages were sent as should be, and not all of them say what they should. */
function compareContents(expected: Effects, found: Effects): CrashFinding[] {
  return [...expected.contents].flatMap(([name, wanted]): CrashFinding[] => {
    const is = found.contents.get(name) ?? []
    if (is.length !== wanted.length) return []
    const [other, missing] = [without(is, wanted), without(wanted, is)]
    if (other.length === 0) return []
    const what = `${name}: ${other.join(', ')}, without faults ${missing.join(', ')}`
    return [{ trouble: 'stale', what }]
  })
}

/** As often as each stands in one list and not in the other. */
function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return texts.filter((text) => {
    const at = left.indexOf(text)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Where as much was sent as should be, and not in the order in which it should. */
function compareOrders(expected: Effects, found: Effects): CrashFinding[] {
  return [...expected.orders].flatMap(([group, wanted]): CrashFinding[] => {
    const is = found.orders.get(group) ?? []
    const isSame = without(is, wanted).length === 0 && is.length === wanted.length
    if (!isSame || is.every((body, at) => body === wanted[at])) return []
    const what = `the ${group} came as ${is.join(', ')}, without faults ${wanted.join(', ')}`
    return [{ trouble: 'stale', what }]
  })
}

function compareRows(expected: Effects, found: Effects): Judged[] {
  const names = new Set([...expected.rows.keys(), ...found.rows.keys()])
  return [...names].flatMap((name) => compareRow(name, expected, found.rows.get(name)))
}

function compareRow(name: string, { rows, held }: Effects, is: UserItem | undefined): Judged[] {
  const wanted = rows.get(name)
  if (is === undefined) return [{ trouble: 'lost', what: `the row ${name} is not there` }]
  if (wanted === undefined) return [{ trouble: 'doubled', what: `a row too many: ${name}` }]
  if (canonical(wanted) === canonical(is)) return []
  const isOlder = (field: string): boolean => held.has(heldText(name, field, is[field] ?? null))
  const what = `the row ${name} is ${rowText(is)}, without faults ${rowText(wanted)}`
  const differing = differingIn(wanted, is)
  const trouble = troubleIn(differing, wanted, is, isOlder)
  return [{ trouble, what, isOlder: differing.every(isOlder) }]
}

function differingIn(wanted: UserItem, is: UserItem): string[] {
  return Object.keys({ ...wanted, ...is }).filter(
    (field) => canonical(is[field] ?? null) !== canonical(wanted[field] ?? null),
  )
}

/** A value that stood there before, or a sum that is too large or too small; anything else is another value. */
function troubleIn(
  differing: readonly string[],
  wanted: UserItem,
  is: UserItem,
  isOlder: (field: string) => boolean,
): Anomaly {
  const sums = differing.map((field): Anomaly => {
    const [before, after] = [wanted[field] ?? 0, is[field] ?? 0]
    if (isOlder(field) || !isPlainNumber(before) || !isPlainNumber(after)) return 'stale'
    return after > before ? 'doubled' : 'lost'
  })
  return sums.find((trouble) => trouble !== 'lost') ?? 'lost'
}
