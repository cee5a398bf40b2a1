import { commandText, decideCommand } from '../item/advise.ts'
import { displayId } from '../text/itemId.ts'
import type {
  Comparable,
  Condition,
  Item,
  StoreKey,
  Update,
} from '../../../library/protocol/store/store.ts'

/** What is taken out of one row, and what has to be as it was read. */
export interface Erasure {
  readonly kind: 'erase'
  readonly key: StoreKey
  /** `result`, `error`, …: what a plan shows. */
  readonly what: readonly string[]
  /** What the plan depends on; a row that shows something else has changed since. */
  readonly seen: readonly unknown[]
  readonly update: Update
  /** Rows that follow are erased only if this write was made. */
  readonly isBarrier?: true
}

/** Nothing is taken out of it, and why. */
interface Left {
  readonly kind: 'left'
  readonly key: StoreKey
  readonly because: string
}

export type Judged = Erasure | Left

/** Stands where a reader expects a text. */
export const ERASED = 'erased by an operator'
/** As the command is called in the audit and on items. */
export const FORGET = 'forget'

export function left(key: StoreKey, because: string): Left {
  return { kind: 'left', key, because }
}

interface Taken {
  readonly what: readonly string[]
  readonly set?: Readonly<Record<string, Comparable>>
  readonly remove?: readonly string[]
}

/** @returns undefined: there is nothing to take out of it */
export function erasing(
  key: StoreKey,
  where: readonly Condition[],
  parts: readonly (Taken | undefined)[],
  seen: readonly unknown[] = where,
): Erasure | undefined {
  const taken = parts.filter((part) => part !== undefined)
  if (taken.length === 0) return undefined
  const set = Object.assign({}, ...taken.map((part) => part.set ?? {})) as Taken['set'] & object
  const remove = taken.flatMap((part) => part.remove ?? [])
  return {
    kind: 'erase',
    key,
    what: taken.flatMap(({ what }) => what),
    seen,
    update: { key, where, set, remove },
  }
}

/** An attribute without which every reader gets on. */
export function dropped(item: Item, name: string): Taken | undefined {
  return item[name] === undefined ? undefined : { what: [name], remove: [name] }
}

/** An attribute that says by its presence how something ended. */
export function blanked(item: Item, name: string): Taken | undefined {
  const stays = item[name] === undefined || item[name] === ERASED
  return stays ? undefined : { what: [name], set: { [name]: ERASED } }
}

/** What an operator wrote about it. The reason of this command stays. */
export function operatorReason(item: Item): Taken | undefined {
  return item['operatorDid'] === FORGET ? undefined : dropped(item, 'operatorWhy')
}

/** Whether the row shows the whole write: then it is our own, retried after a lost answer. */
export function shows(item: Item | undefined, { set = {}, remove = [] }: Update): boolean {
  if (item === undefined) return false
  return (
    Object.entries(set).every(([name, value]) => item[name] === value) &&
    remove.every((name) => item[name] === undefined)
  )
}

export function endFirst(pk: string): string {
  return `End it first: ${commandText(decideCommand(displayId(pk), 'done'))}`
}
