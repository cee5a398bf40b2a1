import { parseDecimal } from './decimal.ts'
import type { WireItem, WireValue } from './wire.ts'

const CONTAINER_BYTES = 3
const ELEMENT_BYTES = 1

/**
 * The size of an item as DynamoDB counts it: names and values in UTF-8; for a number, one byte per two digits and one more; for a
 * list or map, 3 bytes and 1 for each element.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: WireItem): number {
  return sum(Object.entries(item), ([name, value]) => textBytes(name) + valueBytes(value))
}

export function valueBytes({ S, N, B, SS, NS, BS, L, M }: WireValue): number {
  if (S !== undefined) return textBytes(S)
  if (N !== undefined) return numberBytes(N)
  if (B !== undefined) return B.byteLength
  if (SS !== undefined) return sum(SS, textBytes)
  if (NS !== undefined) return sum(NS, numberBytes)
  if (BS !== undefined) return sum(BS, ({ byteLength }) => byteLength)
  if (L !== undefined) return CONTAINER_BYTES + sum(L, (one) => ELEMENT_BYTES + valueBytes(one))
  if (M !== undefined) return CONTAINER_BYTES + Object.keys(M).length * ELEMENT_BYTES + itemBytes(M)
  return 1
}

export function textBytes(text: string): number {
  return Buffer.byteLength(text)
}

function numberBytes(text: string): number {
  return Math.ceil((parseDecimal(text)?.digits.length ?? 0) / 2) + 1
}

function sum<T>(all: readonly T[], bytesOf: (one: T) => number): number {
  return all.reduce((total, one) => total + bytesOf(one), 0)
}
