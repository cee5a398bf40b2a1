import type { Item, UserItem, UserValue } from './store.ts'

/** Reads own attributes only: an item's `constructor` or `__proto__` is data like any other. */
export function attribute(item: Item | UserItem | undefined, name: string): UserValue | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? item[name] : undefined
}

/** Equal values have the same text and different values have different texts, whatever the order of a set or of a map's names. */
export function canonical(value: UserValue): string {
  if (typeof value === 'string') return `S:${value}`
  if (isNumber(value)) return `N:${Number.isInteger(value) ? BigInt(value) : value}`
  if (value === null || typeof value !== 'object') return `X:${value}`
  if (value instanceof Uint8Array) return `B:${Buffer.from(value).toString('base64')}`
  if (isSet(value))
    return `{${texts([...value])
      .toSorted()
      .join()}}`
  if (isList(value)) return `[${texts(value).join()}]`
  const names = Object.keys(value).toSorted()
  return `(${names.map((name) => texts([name, attribute(value, name) ?? null]).join('=')).join()})`
}

type MemberSet = Extract<UserValue, ReadonlySet<unknown>>

export function isSet(value: UserValue): value is MemberSet {
  return value instanceof Set
}

export function isList(value: UserValue): value is readonly UserValue[] {
  return Array.isArray(value)
}

/** Excludes class instances: DynamoDB has no form for a Date, for example. */
export function isMap(value: unknown): value is UserItem {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

export function isNumber(value: UserValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/** DynamoDB has no empty sets, so an attribute that holds one is left out. */
export function withoutEmptySets<V extends UserValue>(
  item: Readonly<Record<string, V>>,
): Readonly<Record<string, V>> {
  if (!Object.values(item).some(isEmptySet)) return item
  return Object.fromEntries(Object.entries(item).filter(([, value]) => !isEmptySet(value)))
}

export function isEmptySet(value: UserValue): boolean {
  return value instanceof Set && value.size === 0
}

/** Lengths keep `['a,b']` and `['a', 'b']` apart. */
function texts(values: readonly UserValue[]): string[] {
  return values.map(canonical).map((text) => `${text.length}:${text}`)
}
