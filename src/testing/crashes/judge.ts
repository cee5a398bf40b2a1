import { type Effects, isNumber, rowText } from './effects.ts'
import { heldText } from './rows.ts'
import type { UserItem } from '../../store/store.ts'
import { canonical } from '../../store/value.ts'

/**
 * `lost`: an effect did not happen, and nobody was told. `doubled`: it happened more than once. `stale`: a row holds what no
 * run without faults leaves there. `stuck`: it never came to rest.
 */
export type Trouble = 'lost' | 'doubled' | 'stale' | 'stuck'

export interface Finding {
  readonly trouble: Trouble
  readonly what: string
}

/** Held against what runs leave in which nothing goes wrong: it has to be as after one of them. */
export function compareWith(expected: readonly Effects[], found: Effects): Finding[] {
  const [first = [], ...others] = expected.map((each) => compare(each, found))
  return others.some((findings) => findings.length === 0) ? [] : first
}

export function compare(expected: Effects, found: Effects): Finding[] {
  const clashes = found.clashes.map((what): Finding => ({ trouble: 'lost', what }))
  const findings = [
    ...clashes,
    ...compareCounts(expected, found),
    ...compareRows(expected, found),
    ...compareOrders(expected, found),
  ]
  return findings.filter(({ trouble }) => !(trouble === 'lost' && found.told && !expected.told))
}

function compareCounts(expected: Effects, found: Effects): Finding[] {
  const names = new Set([...expected.counts.keys(), ...found.counts.keys()])
  return [...names].flatMap((name): Finding[] => {
    const [wanted, is] = [expected.counts.get(name) ?? 0, found.counts.get(name) ?? 0]
    if (is === wanted) return []
    const what = `${name}: ${is} times, ${wanted} without faults`
    return [{ trouble: is > wanted ? 'doubled' : 'lost', what }]
  })
}

/** Where as much was sent as should be, and not in the order in which it should. */
function compareOrders(expected: Effects, found: Effects): Finding[] {
  return [...expected.orders].flatMap(([group, wanted]): Finding[] => {
    const is = found.orders.get(group) ?? []
    if (is.length !== wanted.length || is.every((body, at) => body === wanted[at])) return []
    const what = `the ${group} came as ${is.join(', ')}, without faults ${wanted.join(', ')}`
    return [{ trouble: 'stale', what }]
  })
}

function compareRows(expected: Effects, found: Effects): Finding[] {
  const names = new Set([...expected.rows.keys(), ...found.rows.keys()])
  return [...names].flatMap((name) => compareRow(name, expected, found.rows.get(name)))
}

function compareRow(name: string, { rows, held }: Effects, is: UserItem | undefined): Finding[] {
  const wanted = rows.get(name)
  if (is === undefined) return [{ trouble: 'lost', what: `the row ${name} is not there` }]
  if (wanted === undefined) return [{ trouble: 'doubled', what: `a row too many: ${name}` }]
  if (canonical(wanted) === canonical(is)) return []
  const isOlder = (field: string): boolean => held.has(heldText(name, field, is[field] ?? null))
  const what = `the row ${name} is ${rowText(is)}, without faults ${rowText(wanted)}`
  return [{ trouble: troubleIn(wanted, is, isOlder), what }]
}

/** A value that stood there before, or a sum that is too large or too small; anything else is another value. */
function troubleIn(wanted: UserItem, is: UserItem, isOlder: (field: string) => boolean): Trouble {
  const differing = Object.keys({ ...wanted, ...is }).filter(
    (field) => canonical(is[field] ?? null) !== canonical(wanted[field] ?? null),
  )
  const sums = differing.map((field): Trouble => {
    const [before, after] = [wanted[field] ?? 0, is[field] ?? 0]
    if (isOlder(field) || !isNumber(before) || !isNumber(after)) return 'stale'
    return after > before ? 'doubled' : 'lost'
  })
  return sums.find((trouble) => trouble !== 'lost') ?? 'lost'
}
