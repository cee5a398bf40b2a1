import type { Condition, Item, UserCondition, UserItem, UserValue } from './store.ts'
import { attribute, canonical, isNumber, isSet } from './value.ts'

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
  if ('lacks' in condition)
    return (
      // @protects a mark that is set is seen
      // @without true
      found === undefined || !contains(found, condition.lacks)
    )
  if ('members' in condition) return found instanceof Set && found.size === condition.members
  if (condition.is === '<>') return found === undefined || !same(found, condition.value)
  if (found === undefined) return false
  return condition.is === '='
    ? same(found, condition.value)
    : IN_ORDER[condition.is](order(found, condition.value))
}

/** A comparison with `NaN` (no order at all) is false. */
const IN_ORDER = {
  '<': (order: number): boolean => order < 0,
  '<=': (order: number): boolean => order <= 0,
  '>': (order: number): boolean => order > 0,
  '>=': (order: number): boolean => order >= 0,
} as const

function same(one: UserValue, other: UserValue): boolean {
  // @protects values of two types are never equal
  // @without String(one) === String(other)
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

/** DynamoDB's `contains`, for a member that is a text: a text within a text, or a member of a set. */
function contains(value: UserValue, member: string): boolean {
  if (typeof value === 'string') return value.includes(member)
  return isSet(value) && [...value].includes(member)
}
