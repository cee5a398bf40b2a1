import type { Condition, Item, UserCondition, UserItem, UserValue } from './store.ts'

/**
 * Whether `condition` is true of `item`, by DynamoDB's rules for a ConditionExpression:
 * a missing attribute differs from every value (`<>` and `lacks` hold, everything else does not), values of two types
 * are never equal and have no order, strings are ordered by their UTF-8 bytes.
 */
export function holds(
  condition: Condition | UserCondition,
  item: Item | UserItem | undefined,
): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, item))
  if ('any' in condition) return condition.any.some((part) => holds(part, item))
  if ('exists' in condition) return attribute(item, condition.exists) !== undefined
  if ('absent' in condition) return attribute(item, condition.absent) === undefined
  const found = attribute(item, condition.field)
  if ('lacks' in condition) return found === undefined || !contains(found, condition.lacks)
  if (condition.is === '<>') return found === undefined || !same(found, condition.value)
  if (found === undefined) return false
  return condition.is === '='
    ? same(found, condition.value)
    : IN_ORDER[condition.is](order(found, condition.value))
}

/** The own attribute only: an item's `constructor` or `__proto__` is data like any other. */
export function attribute(item: Item | UserItem | undefined, name: string): UserValue | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? item[name] : undefined
}

/** One text for equal values and different texts for different ones, whatever the order of a set or of a map's names. */
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

export function isSet(value: UserValue): value is ReadonlySet<string> | ReadonlySet<number> {
  return value instanceof Set
}

export function isList(value: UserValue): value is readonly UserValue[] {
  return Array.isArray(value)
}

/** No class instance: a Date has no form in DynamoDB. */
export function isMap(value: UserValue): value is UserItem {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** `NaN`, no order at all, makes every comparison false. */
const IN_ORDER = {
  '<': (order: number): boolean => order < 0,
  '<=': (order: number): boolean => order <= 0,
  '>': (order: number): boolean => order > 0,
  '>=': (order: number): boolean => order >= 0,
} as const

function same(one: UserValue, other: UserValue): boolean {
  return one === other || canonical(one) === canonical(other)
}

function order(one: UserValue, other: UserValue): number {
  if (isNumber(one) && isNumber(other)) return one < other ? -1 : Number(one > other)
  const [left, right] = [bytes(one), bytes(other)]
  if (left === undefined || right === undefined || typeof one !== typeof other) return Number.NaN
  return Buffer.compare(left, right)
}

function bytes(value: UserValue): Uint8Array | undefined {
  if (typeof value === 'string') return Buffer.from(value)
  return value instanceof Uint8Array ? value : undefined
}

function isNumber(value: UserValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function contains(value: UserValue, member: string): boolean {
  if (typeof value === 'string') return value.includes(member)
  return typeof value === 'object' && value !== null && isSet(value)
    ? [...value].some((one) => one === member)
    : false
}

/** Lengths keep `['a,b']` and `['a', 'b']` apart. */
function texts(values: readonly UserValue[]): string[] {
  return values.map(canonical).map((text) => `${text.length}:${text}`)
}
