import { isDeepStrictEqual } from 'node:util'
import type { WireValue } from '../../../../../base/limits/wireValue.ts'
import { compareNumbers, isSetType, typeOf } from './value.ts'

/** Whatever the order of sets and of names in maps. */
export function areEqual(one: WireValue, other: WireValue): boolean {
  if (one.S !== undefined || one.N !== undefined) return one.S === other.S && one.N === other.N
  return isDeepStrictEqual(comparable(one), comparable(other))
}

function comparable(value: WireValue): unknown {
  const { L, M } = value
  if (isSetType(typeOf(value))) return { [typeOf(value)]: new Set(membersOf(value).map(idOf)) }
  if (L !== undefined) return L.map(comparable)
  if (M === undefined) return value
  return new Map(Object.entries(M).map(([name, one]) => [name, comparable(one)]))
}

/** The members of a set, as values. */
export function membersOf({ SS, NS, BS }: WireValue): readonly WireValue[] {
  if (SS !== undefined) return SS.map((S) => ({ S }))
  if (NS !== undefined) return NS.map((N) => ({ N }))
  return (BS ?? []).map((B) => ({ B }))
}

/** Below 0, 0 or above 0; undefined: the two are of different types, or of one that has no order. */
export function orderOf(one: WireValue, other: WireValue): number | undefined {
  if (one.N !== undefined && other.N !== undefined) return compareNumbers(one.N, other.N)
  if (one.S !== undefined && other.S !== undefined) return compareTexts(one.S, other.S)
  if (one.B !== undefined && other.B !== undefined) return Buffer.compare(one.B, other.B)
  return undefined
}

/** By their bytes in UTF-8. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** A different text for each text, number or bytes of one type. */
export function idOf({ S, N, B }: WireValue): string {
  return S ?? N ?? Buffer.from(B ?? []).toString('base64')
}
