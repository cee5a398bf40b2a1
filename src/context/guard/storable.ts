import type { UserValue } from '../../store/store.ts'

/** A type that no value has. The compiler shows its text where it refuses a value. */
declare const WHY: unique symbol
export interface CompileTimeRefusal<Why extends string> {
  readonly [WHY]: Why
}

type Known = UserValue | undefined

/**
 * The type itself if DynamoDB can store it, otherwise a text that says why not. Rows may be declared by `interface`. An optional
 * field that is `undefined` is left out.
 */
export type Storable<T> = T extends Known
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
