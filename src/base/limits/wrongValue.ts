import * as DYNAMODB from './dynamodb.ts'
import {
  decimalText,
  parseDecimal,
  itemBytes,
  textBytes,
  type WireItem,
  type WireValue,
} from './wireValue.ts'

/**
 * What DynamoDB would refuse in an item, as a text that begins with the attribute's path and never shows its value. Undefined:
 * DynamoDB accepts the item.
 */
export function wrongItem(item: WireItem): string | undefined {
  for (const [name, value] of Object.entries(item)) {
    const wrong = wrongName(name) ?? wrongValue(value, name)
    if (wrong !== undefined) return wrong
  }
  const bytes = itemBytes(item)
  return bytes > DYNAMODB.itemBytes
    ? `the item has ${bytes} bytes, and DynamoDB takes ${DYNAMODB.itemBytes} (400 KB)`
    : undefined
}

export function wrongName(name: string): string | undefined {
  if (name === '') return 'an attribute has an empty name'
  if (textBytes(name) > DYNAMODB.attributeNameBytes) {
    return `an attribute has a name of more than ${DYNAMODB.attributeNameBytes} bytes`
  }
  return name.isWellFormed() ? undefined : 'an attribute has half a character in its name'
}

/** @param depth how many lists and maps enclose the value */
export function wrongValue(value: WireValue, path: string, depth = 0): string | undefined {
  if (depth >= DYNAMODB.nesting) {
    return `${path} is nested more than ${DYNAMODB.nesting} levels deep, and DynamoDB takes no more`
  }
  return wrongLeaf(value, path) ?? wrongMembers(value.L ?? [], value.M ?? {}, path, depth + 1)
}

/** As `wrongValue`, for a value that contains no list and no map. */
export function wrongLeaf({ S, N, SS, NS, BS }: WireValue, path: string): string | undefined {
  if (S !== undefined) return wrongText(S, path)
  if (N !== undefined) return said(path, wrongNumber(N))
  if (SS !== undefined) return wrongSet(SS, path, (one) => wrongText(one, path), String)
  if (NS !== undefined) return wrongSet(NS, path, (one) => said(path, wrongNumber(one)), normal)
  return BS && wrongSet(BS, path, () => undefined, hexOf)
}

function wrongMembers(
  list: readonly WireValue[],
  map: WireItem,
  path: string,
  depth: number,
): string | undefined {
  for (const [at, one] of list.entries()) {
    const wrong = wrongValue(one, `${path}[${at}]`, depth)
    if (wrong !== undefined) return wrong
  }
  for (const [name, one] of Object.entries(map)) {
    const wrong = wrongValue(one, `${path}.${name}`, depth)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** A lone surrogate would become U+FFFD in UTF-8, so a different text would be read back. */
export function wrongText(text: string, path: string): string | undefined {
  return text.isWellFormed() ? undefined : `${path} has half a character (a lone surrogate)`
}

function wrongSet<T>(
  members: readonly T[],
  path: string,
  wrongMember: (one: T) => string | undefined,
  textOf: (one: T) => string,
): string | undefined {
  if (members.length === 0) return `${path} is an empty set, and DynamoDB has none`
  if (new Set(members.map(textOf)).size < members.length) return `${path} holds one member twice`
  for (const one of members) {
    const wrong = wrongMember(one)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

function normal(text: string): string {
  const decimal = parseDecimal(text)
  return decimal === undefined ? text : decimalText(decimal)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function said(path: string, wrong: string | undefined): string | undefined {
  return wrong && `${path} ${wrong}`
}

/** Why DynamoDB would refuse a number. The text is appended to the number's name. */
export function wrongNumber(text: string): string | undefined {
  const decimal = parseDecimal(text)
  if (decimal === undefined) return 'is no number'
  const { digits, power } = decimal
  if (digits.length > DYNAMODB.numberDigits) {
    return `has ${digits.length} significant digits, and DynamoDB keeps ${DYNAMODB.numberDigits}`
  }
  if (power > DYNAMODB.numberLargestPower) return 'lies beyond ±9.99e125, DynamoDB’s largest number'
  if (digits !== '' && power < DYNAMODB.numberSmallestPower) {
    return 'is nearer to zero than 1e-130, DynamoDB’s smallest number'
  }
  return undefined
}
