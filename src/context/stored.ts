/** Types that are stored without loss. */
type Exact =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | void
  | Date
  | readonly Exact[]
  | { readonly [name: string]: Exact }

type Callable = (...given: never) => unknown

/**
 * The type of a result after it was stored. Every attempt receives it in this form, including the first: dates, maps, sets,
 * bytes, bigints and `undefined` are kept; an instance of a class becomes its `toJSON`, or its fields without methods; a Buffer
 * becomes a Uint8Array.
 */
export type Stored<T> = 0 extends 1 & T
  ? T
  : unknown extends T
    ? T
    : T extends Uint8Array
      ? Uint8Array
      : T extends Exact
        ? T
        : T extends ReadonlyMap<infer Key, infer Value>
          ? Map<Stored<Key>, Stored<Value>>
          : T extends ReadonlySet<infer Member>
            ? Set<Stored<Member>>
            : T extends { toJSON(): infer Json }
              ? Stored<Json>
              : T extends readonly unknown[]
                ? { [Index in keyof T]: Stored<T[Index]> }
                : T extends Callable | symbol | PromiseLike<unknown>
                  ? never
                  : {
                      [
                        Name in keyof T as T[Name] extends Callable | symbol
                          ? never
                          : Name extends symbol
                            ? never
                            : Name
                      ]: Stored<T[Name]>
                    }
