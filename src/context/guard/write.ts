import type { RawWrite, UserItem, UserValue } from '../../store/store.ts'
import type { Guard } from './guard.ts'
import type { Misnamed } from '../../base/options.ts'

/** One item of one of your own tables. */
export interface ItemKey {
  /** Name or ARN. */
  readonly TableName: string
  /** All attributes of the table's key: a text that is not empty, a number, or bytes. */
  readonly Key: Readonly<Record<string, string | number | bigint | Uint8Array>>
}

interface GuardedItem extends ItemKey {
  /** When the write may take place. Default: always. */
  readonly guard?: Guard | undefined
}

/** The write of `ctx.put`: replaces the item at `Key` by `Key` and the attributes in `put`. */
export interface PutWrite extends GuardedItem {
  readonly put: object
}

/**
 * The write of `ctx.update`: sets and removes attributes. It creates a missing item, unless a guard such as `exists()` forbids
 * it.
 */
export type UpdateWrite = GuardedItem &
  (
    | { readonly set: object; readonly remove?: readonly string[] | undefined }
    | { readonly set?: undefined; readonly remove: readonly string[] }
  )

/**
 * An UpdateWrite that can also add to numbers, such as `{ total: 5 }`. Running it twice would add twice, so only `ctx.applyOnce`
 * accepts it.
 */
export type AddingWrite = GuardedItem & {
  readonly add: Readonly<Record<string, number>>
  readonly set?: object | undefined
  readonly remove?: readonly string[] | undefined
}

/** The write of `ctx.delete`. */
export type DeleteWrite = GuardedItem

/** Writes nothing: the other writes of the transaction take place only if `check` holds for this item. */
export interface CheckWrite extends ItemKey {
  readonly check: Guard
}

/** One write of `ctx.applyOnce`. */
export type Write = PutWrite | UpdateWrite | AddingWrite | (GuardedItem & { readonly delete: true })
/** One action of a transaction: a write, a check of another item, or an item of TransactWriteItems as it is. */
export type PartialWrite = Write | CheckWrite | RawWrite
type Action = 'put' | 'set' | 'remove' | 'add' | 'delete' | 'check' | 'raw'
/** What `ctx.applyOnce` is given. `CheckedWrites` refuses an item without an action, so that the compiler says just that. */
export type GivenWrite = PartialWrite | (GuardedItem & { readonly [Name in Action]?: undefined })

/** Why a write was not applied. Nothing was written, including the other writes of its transaction. */
export interface NotApplied {
  readonly applied: false
  /**
   * `stale`: the item is newer than this request (`newerThan`). `changed`: it is not what `unchanged` expected. `unmet`: any
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

type ItemOption = keyof GuardedItem
export type CheckedPut<Given> = Given & NoOther<Given, ItemOption | 'put'> & WithStorable<Given>
export type CheckedUpdate<Given> = Given &
  NoOther<Given, ItemOption | 'set' | 'remove'> &
  WithStorable<Given>
export type CheckedDelete<Given> = Given & NoOther<Given, ItemOption>
type CheckedPart<Given> = NoOther<Given, ItemOption | Action> &
  WithStorable<Given> &
  (Given extends PartialWrite ? unknown : NothingIsWritten)
/** The compiler quotes the name: it would otherwise name one of the many forms that the write does not have. */
interface NothingIsWritten {
  readonly 'put, set, remove, add, delete: true or check': never
}
/** One write, or a list of them. */
export type CheckedWrites<Given> = Given &
  (Given extends readonly unknown[]
    ? { readonly [Index in keyof Given]: Given[Index] & CheckedPart<Given[Index]> }
    : CheckedPart<Given>)

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
