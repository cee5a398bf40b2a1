import { BlockList, isIP } from 'node:net'
import { isObject } from '../../../../library/base/kindOf.ts'

/** A message attribute as SNS has received it. */
interface ReceivedAttribute {
  readonly DataType: string
  readonly StringValue?: string
  readonly BinaryValue?: string
}
export type ReceivedAttributes = Readonly<Record<string, ReceivedAttribute>>

/**
 * Whether a subscription wants a message, by its filter policy. docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html
 * @param scope default: the attributes
 */
export function isWanted(
  policy: unknown,
  scope: string | undefined,
  body: string,
  attributes: ReceivedAttributes,
): boolean {
  if (scope !== 'MessageBody') {
    const given = Object.entries(attributes).map(([name, one]) => [name, valueOf(one)] as const)
    // Without any attribute, "exists": false does not match either.
    return given.length > 0 && fits(policy, Object.fromEntries(given))
  }
  const read = parsed(body)
  return isObject(read) && fits(policy, read)
}

/** A text is no number to a filter, whatever stands in it. */
function valueOf({ DataType, StringValue = '', BinaryValue }: ReceivedAttribute): unknown {
  if (BinaryValue !== undefined) return [BinaryValue]
  if (DataType === 'Number' || DataType.startsWith('Number.')) return Number(StringValue)
  return DataType === 'String.Array' ? parsed(StringValue) : StringValue
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** All keys of a policy hold, and one of its `$or`. A list fits when one of its elements does. */
function fits(policy: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((one) => fits(policy, one))
  if (!isObject(policy)) return false
  return Object.entries(policy).every(([key, wanted]) => {
    if (key === '$or' && Array.isArray(wanted)) return wanted.some((one) => fits(one, value))
    const found = at(value, key)
    return Array.isArray(wanted) ? meets(wanted, found) : fits(wanted, found ?? {})
  })
}

/** `a.b` is a name with a dot, or a name in another. */
function at(value: unknown, key: string): unknown {
  if (Array.isArray(value))
    return value.map((one) => at(one, key)).filter((one) => one !== undefined)
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, key)) return value[key]
  for (let dot = key.indexOf('.'); dot > 0; dot = key.indexOf('.', dot + 1)) {
    const outer = key.slice(0, dot)
    if (Object.hasOwn(value, outer)) return at(value[outer], key.slice(dot + 1))
  }
  return undefined
}

function meets(conditions: readonly unknown[], found: unknown): boolean {
  const values: readonly unknown[] = [found].flat(Infinity).filter((one) => one !== undefined)
  return conditions.some((condition) => {
    if (!isObject(condition)) return values.includes(condition)
    if ('exists' in condition) return condition['exists'] === values.some((one) => one !== null)
    return values.some((value) => obeys(condition, value))
  })
}

function obeys(condition: Readonly<Record<string, unknown>>, value: unknown): boolean {
  const [[operator, operand] = ['', undefined]] = Object.entries(condition)
  if (operator === 'anything-but') return isOther(operand, value)
  if (operator === 'numeric') return typeof value === 'number' && isWithin(operand, value)
  return (
    typeof value === 'string' &&
    typeof operand === 'string' &&
    (TEXTS[operator]?.(value, operand) ?? false)
  )
}

const TEXTS: Readonly<Record<string, (value: string, operand: string) => boolean>> = {
  prefix: (value, start) => value.startsWith(start),
  suffix: (value, end) => value.endsWith(end),
  'equals-ignore-case': (value, other) => value.toLowerCase() === other.toLowerCase(),
  wildcard: isLike,
  cidr: isInSubnet,
}

function isOther(excluded: unknown, value: unknown): boolean {
  if (isObject(excluded) && !Array.isArray(excluded)) return !obeys(excluded, value)
  const all: readonly unknown[] = Array.isArray(excluded) ? excluded : [excluded]
  return !all.includes(value)
}

const NUMBERS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
}

function isWithin(bounds: unknown, value: number): boolean {
  if (!Array.isArray(bounds)) return false
  return bounds.every((sign, nth) => {
    if (nth % 2 === 1) return true
    return NUMBERS[String(sign)]?.(value, Number(bounds[nth + 1])) ?? false
  })
}

function isLike(value: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(value)
}

function isInSubnet(address: string, subnet: string): boolean {
  const [network = '', bits = ''] = subnet.split('/')
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(network) === 0 || isIP(network) !== isIP(address)) return false
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(address, family)
}
