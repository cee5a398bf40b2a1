import type { RawWrite, UserItem, UserValue } from '../../../protocol/store/store.ts'
import type { Guard, Guards } from './guard.ts'
import type { Misnamed } from '../../../base/options.ts'

/** One item of one of your own tables. */
export interface ItemKey {
  /** Name or ARN. */
  readonly TableName: string
  /** All attributes of the table's key: a text that is not empty, a number, or bytes. */
  readonly Key: Readonly<Record<string, KeyValue>>
}

type KeyValue = string | number | bigint | Uint8Array

interface GuardedItem extends ItemKey {
  /** When the write may take place. Default: always. */
  readonly guard?: Guards | undefined
}

/** What a write does to its item. Each combination is one write. */
type Change =
  | { readonly put: object }
  | {
      readonly set: object
      readonly add?: Amounts | undefined
      readonly remove?: readonly string[] | undefined
    }
  | {
      readonly set?: undefined
      readonly add: Amounts
      readonly remove?: readonly string[] | undefined
    }
  | {
      readonly set?: undefined
      readonly add?: undefined
      readonly remove: readonly string[]
    }
  | { readonly delete: true }

type Amounts = Readonly<Record<string, number>>

/**
 * One write of a transaction. `put` replaces the item at `Key` by `Key` and these attributes; `set`, `add` and `remove` change
 * attributes; `set` and `add` create a missing item unless a guard such as `exists()` forbids it; `delete: true` deletes the item. `check`
 * writes nothing: the other writes take place only if it holds for its item. `raw` is an item of TransactWriteItems.
 * @example const sale: Write = { TableName: 'stock', Key: { sku }, add: { available: -2 }, guard: atLeast('available', 2) }
 */
export type Write = (GuardedItem & Change) | (ItemKey & { readonly check: Guards }) | RawWrite

type Action = 'put' | 'set' | 'remove' | 'add' | 'delete' | 'check' | 'raw'

/**
 * What `ctx.write` is given, so that the compiler names the part that has the wrong type. `CheckedWrites` judges the rest. In a
 * list the compiler gives each write the names of all, as optional ones that are `undefined`, also within `Key` and `add`.
 */
export type GivenWrite =
  | (Omit<GuardedItem, 'Key'> & {
      readonly Key: Readonly<Record<string, KeyValue | undefined>>
      readonly put?: object | undefined
      readonly set?: object | undefined
      readonly add?: Readonly<Record<string, number | undefined>> | undefined
      readonly remove?: readonly string[] | undefined
      readonly delete?: true | undefined
      readonly check?: Guards | undefined
    })
  | RawWrite

/** Why a write was not applied. Nothing was written, including the other writes of its transaction. */
export interface NotApplied {
  readonly applied: false
  /**
   * `stale`: the item is newer than this request (`newerThan`). `changed`: it is not what `readChangeWrite` has read. `unmet`: any
   * other guard does not hold.
   */
  readonly reason: 'stale' | 'changed' | 'unmet'
  /** The position of the refused write in the list, from 0. */
  readonly index: number
  /** The table of that write. */
  readonly table: string
  /** The guard that does not hold. undefined: the condition of a raw item. */
  readonly guard: Guard | undefined
  /** The item as it is in the table. undefined: there is none. */
  readonly item: UserItem | undefined
}

/** Whether a write was applied. Check `applied`: a guard that does not hold is not an error. */
export type Written = { readonly applied: true } | NotApplied

/** Refuses every other name, even in a variable, where TypeScript itself would accept it. */
export type NoOther<Given, Known> = {
  readonly [Name in Exclude<keyof Given, Known>]: CompileTimeRefusal<
    Name extends keyof Misnamed ? Misnamed[Name] : `'${Name & string}' is not known here`
  >
}

/** The types of the values in the parts of a write. */
type WithStorable<Given> = {
  readonly [Name in keyof Given as Name extends 'put' | 'set' ? Name : never]: Storable<Given[Name]>
}

/** Refuses a name that is not optional and may be `undefined`. */
type WithValues<Given> = {
  readonly [Name in keyof Given as Name extends 'Key' | 'add' ? Name : never]: Filled<
    Given[Name],
    Name extends 'Key' ? KeyValue : number
  >
}
type Filled<Given, Value> = { readonly [Name in keyof Given]: Value }

type CheckedPart<Given> = Given extends unknown
  ? NoOther<Given, keyof GuardedItem | Action> &
      WithStorable<Given> &
      WithValues<Given> &
      OneWrite<Given, Parts<Given>>
  : never
type EachChecked<Given> = Given extends unknown ? Given & CheckedPart<Given> : never
/** A write with a slip in a name is also a write without it: a list refuses each name that any of its writes has. */
type ListChecked<Given> = EachChecked<Given> &
  Partial<NoOther<Record<KeysOf<Given>, unknown>, keyof GuardedItem | Action>>
type KeysOf<Given> = Given extends unknown ? keyof Given : never

/** The actions that the write has. */
type Parts<Given> = {
  readonly [Name in keyof Given & Action]-?: Given[Name] extends undefined ? never : Name
}[keyof Given & Action]

/** The compiler quotes the name of what is missing: it would otherwise name one of the many forms that the write does not have. */
type OneWrite<Given, Part> = [Part] extends [never]
  ? NothingIsWritten
  : [Part] extends ['set' | 'add' | 'remove']
    ? unknown
    : IsOne<Part> extends true
      ? Given extends { readonly check: Guards; readonly guard: Guards }
        ? GuardBesideCheck
        : unknown
      : SeveralWrites
interface NothingIsWritten {
  readonly 'put, set, remove, add, delete: true or check': never
}
interface SeveralWrites {
  readonly 'put, delete, check and raw are a write each: give a list of writes': never
}
interface GuardBesideCheck {
  readonly 'check is a guard itself: put both into it as a list': never
}
type IsOne<Part, Whole = Part> = Part extends unknown
  ? [Whole] extends [Part]
    ? true
    : false
  : never

/** One write, or a list of them. */
export type CheckedWrites<Given> = Given extends readonly unknown[]
  ? readonly ListChecked<Given[number]>[]
  : EachChecked<Given>

/** A type that no value has. The compiler shows its text where it refuses a value. */
declare const WHY: unique symbol
interface CompileTimeRefusal<Why extends string> {
  readonly [WHY]: Why
}

type Known = UserValue | undefined

/**
 * The type itself if DynamoDB can store it, otherwise a text that says why not. Rows may be declared by `interface`. An optional
 * field that is `undefined` is left out.
 */
type Storable<T> = T extends Known
  ? T
  : T extends Date
    ? CompileTimeRefusal<'a Date cannot be stored: use toISOString() or getTime()'>
    : T extends PromiseLike<unknown>
      ? CompileTimeRefusal<'a Promise cannot be stored: is an await missing?'>
      : T extends ReadonlyMap<unknown, unknown>
        ? CompileTimeRefusal<'a Map cannot be stored: use Object.fromEntries(map)'>
        : T extends readonly unknown[]
          ? { readonly [Index in keyof T]: Storable<T[Index]> }
          : T extends (...given: never) => unknown
            ? CompileTimeRefusal<'a function cannot be stored'>
            : T extends object
              ? { readonly [Name in keyof T]: Storable<T[Name]> }
              : CompileTimeRefusal<'DynamoDB has no such value'>
