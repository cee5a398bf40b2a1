/** A value of TLA+. Equal values are one object, so that `===` compares them. */
export type Value = number | string | boolean | Row | Group

/** A function, or a record: its domain in canonical order, and what it gives for each. */
export interface Row {
  readonly kind: 'row'
  readonly id: number
  readonly domain: Group
  readonly values: readonly Value[]
}

/** A set, in canonical order. */
export interface Group {
  readonly kind: 'group'
  readonly id: number
  readonly members: readonly Value[]
}

const interned = new Map<string, Row | Group>()

function nameOf(value: Value): string {
  if (typeof value === 'object') return `#${value.id}`
  return typeof value === 'string' ? `"${value}` : String(value)
}

const order = (one: Value, other: Value): number => (nameOf(one) < nameOf(other) ? -1 : 1)

export function groupOf(values: Iterable<Value>): Group {
  const members = [...new Set(values)]
  if (members.length > 1) members.sort(order)
  return intern(`{${members.map(nameOf).join()}}`, (id) => ({ kind: 'group', id, members }))
}

export function rowOf(entries: readonly (readonly [Value, Value])[]): Row {
  const sorted = entries.toSorted(([one], [other]) => order(one, other))
  return rowOn(
    groupOf(sorted.map(([key]) => key)),
    sorted.map(([, value]) => value),
  )
}

export function rowOn(domain: Group, values: readonly Value[]): Row {
  const name = `[${domain.id}:${values.map(nameOf).join()}]`
  return intern(name, (id) => ({ kind: 'row', id, domain, values }))
}

function intern<T extends Row | Group>(name: string, make: (id: number) => T): T {
  const found = interned.get(name)
  if (found !== undefined) return found as T
  const made = make(interned.size)
  interned.set(name, made)
  return made
}

export function at(row: Value, key: Value): Value {
  const found = asRow(row).values[asRow(row).domain.members.indexOf(key)]
  if (found === undefined) throw new Error(`${textOf(key)} is outside ${textOf(row)}`)
  return found
}

/** The row with another value at the end of a path. */
export function replaced(
  row: Value,
  path: readonly Value[],
  change: (before: Value) => Value,
): Value {
  const [key, ...rest] = path
  if (key === undefined) return change(row)
  const { domain, values } = asRow(row)
  const before = at(row, key)
  const index = domain.members.indexOf(key)
  return rowOn(domain, values.with(index, replaced(before, rest, change)))
}

export function asRow(value: Value): Row {
  if (typeof value === 'object' && value.kind === 'row') return value
  throw new Error(`${textOf(value)} is no function`)
}

export function asGroup(value: Value): Group {
  if (typeof value === 'object' && value.kind === 'group') return value
  throw new Error(`${textOf(value)} is no set`)
}

export function textOf(value: Value): string {
  if (typeof value !== 'object') return JSON.stringify(value)
  if (value.kind === 'group') return `{${value.members.map(textOf).join(', ')}}`
  const { domain, values } = value
  const fields = domain.members.map((key, nth) => `${textOf(key)}: ${textOf(values[nth] ?? '')}`)
  return `[${fields.join(', ')}]`
}
