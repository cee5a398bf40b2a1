import { damagedItem, FORMAT, unknownFormat } from '../../base/format.ts'
import type { Condition, Creation, Item, NotKnown, StoreKey, Value } from './store.ts'

const FIELD = 'format'

/**
 * A condition of every update, in place of the one that the item exists: an item of another format is neither changed nor taken
 * for missing, also by a write that was not preceded by a read.
 */
export const IS_OF_OUR_FORMAT: Condition = { field: FIELD, is: '=', value: FORMAT }

/** Each item gets its number where it is created, and no update changes it. */
export function withFormat<I extends Item & StoreKey>(item: I): I {
  return { ...item, [FIELD]: FORMAT }
}

/** Adds the format to what a transaction creates in the framework's table: the claim, or an item beside it. */
export function creationWithFormat<W extends object>(write: W | Creation): W | Creation {
  return 'create' in write ? { create: withFormat(write.create) } : write
}

/** @returns undefined when there is no item, or it has the format of this version */
export function notKnown(item: Item | undefined): NotKnown | undefined {
  if (item === undefined || item[FIELD] === FORMAT) return undefined
  return { kind: 'notKnown', error: unknownFormat(placeOf(item), item[FIELD]) }
}

/** The outcome of a read, and of a refused write, by the item that the store has shown. */
export function seen<K extends 'found' | 'refused'>(
  kind: K,
  item: Item | undefined,
): { readonly kind: K; readonly item: Item | undefined } | NotKnown {
  return notKnown(item) ?? { kind, item }
}

/** An item of our format that no version has written so: it is not known, either. */
export function damaged(item: Place): NotKnown {
  return { kind: 'notKnown', error: damagedItem(placeOf(item)) }
}

interface Place {
  readonly pk?: Value
  readonly sk?: Value
}

function placeOf({ pk, sk }: Place): string {
  const [partition, sort] = [pk, sk].map((key) => (typeof key === 'string' ? key : 'no text'))
  return `the item ${partition} (${sort})`
}
