import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'

/**
 * The store speaks in conditional writes, as data. Protocols (lock token, stage record) are pure functions that make
 * and judge these values; an adapter only carries them out, so that memory and DynamoDB cannot disagree on a rule.
 */

/** What a protocol item may hold. Flat on purpose: a nested path needs its parent to exist. */
export type Value = string | number | boolean | ReadonlySet<string>
export type Item = Readonly<Record<string, Value>>
export interface StoreKey {
  readonly pk: string
  readonly sk: string
}

export type Comparable = string | number | boolean
export type Condition =
  | { readonly exists: string }
  | { readonly absent: string }
  | {
      readonly field: string
      readonly is: '=' | '<>' | '<' | '<=' | '>' | '>='
      readonly value: Comparable
    }
  | { readonly field: string; readonly lacks: string }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }

/** Takes place only while `where` holds. Never creates the item: a condition on a missing item must not leave a ghost. */
export interface Update {
  readonly key: StoreKey
  readonly where: readonly Condition[]
  readonly set?: Readonly<Record<string, Comparable>>
  readonly remove?: readonly string[]
  readonly addTo?: { readonly field: string; readonly member: string }
}

/** `item` is what stands in the store now: after the write, or what refused it (undefined: no such item). */
export type WriteOutcome =
  | { readonly kind: 'applied'; readonly item: Item | undefined }
  | { readonly kind: 'refused'; readonly item: Item | undefined }
  | { readonly kind: 'failed'; readonly error: Error }

export type ReadOutcome =
  | { readonly kind: 'found'; readonly item: Item | undefined }
  | { readonly kind: 'failed'; readonly error: Error }

/** What the status index lists under one of its keys. */
export interface DueQuery {
  /** `<status>#<n>`. */
  readonly statusShard: string
  /** Epoch milliseconds: what is due later is left out. */
  readonly until: number
  readonly most: number
  /** Where the page before has ended. */
  readonly after?: string | undefined
}

export type DueOutcome =
  | {
      readonly kind: 'found'
      readonly keys: readonly StoreKey[]
      readonly next: string | undefined
    }
  | { readonly kind: 'failed'; readonly error: Error }

/**
 * A value of the user's own tables, as the SDK's document form knows it. Read back, a whole number beyond ±(2^53 - 1) is
 * a bigint, whatever it was written as; every other number is a number, and a fraction of more than 17 digits, which
 * only others can have written, is the number nearest to it. An empty set is left out, as DynamoDB has none.
 */
export type UserValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | ReadonlySet<string>
  | ReadonlySet<number | bigint>
  | ReadonlySet<Uint8Array>
  | readonly UserValue[]
  | { readonly [name: string]: UserValue }
export type UserItem = Readonly<Record<string, UserValue>>
export interface UserKey {
  readonly TableName: string
  readonly Key: UserItem
}

/** One write on the user's own table, with its condition. */
export type UserWrite = UserKey & {
  readonly where: readonly UserCondition[]
} & (
    | { readonly put: UserItem }
    | { readonly delete: true }
    | {
        readonly set?: UserItem
        readonly add?: Readonly<Record<string, number | bigint>>
        readonly remove?: readonly string[]
      }
  )

export type UserCondition =
  | { readonly exists: string }
  | { readonly absent: string }
  | {
      readonly field: string
      readonly is: '=' | '<>' | '<' | '<=' | '>' | '>='
      readonly value: UserValue
    }
  /** A text within a text, or a member of a set or list. */
  | { readonly field: string; readonly contains: UserValue }
  | { readonly all: readonly UserCondition[] }
  | { readonly any: readonly UserCondition[] }

/**
 * An item of the SDK's TransactWriteItems as it is, for what cannot be said otherwise. On DynamoDB only: the memory store
 * cannot read expressions. Values are AttributeValues, such as `{ S: 'a' }`, as `marshall` of `@aws-sdk/util-dynamodb` makes
 * them.
 */
export interface RawWrite {
  readonly raw: TransactWriteItem
}

/**
 * The claim is checked, and if need be marked, in the same transaction as the user's writes. `index`: the first of the
 * writes that was refused; `item` is what stands there.
 */
export type TransactOutcome =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly by: 'claim'; readonly item: Item | undefined }
  | {
      readonly kind: 'refused'
      readonly by: 'write'
      readonly index: number
      readonly item: UserItem | undefined
    }
  | { readonly kind: 'failed'; readonly error: Error }

/**
 * Plural, because the round trip is the cost. Outcomes stand in the order of the requests; a call never rejects for a
 * reason of the store's: such entries are `failed`.
 */
export interface Store {
  /** Keeps everything in the process: whoever works with it gets no client of AWS that nobody gave. */
  readonly inMemory?: true
  /** Writes an item whose key is not there yet. Refused: `item` is the one that stands there, if the engine tells. */
  create(items: readonly (Item & StoreKey)[]): Promise<readonly WriteOutcome[]>
  update(updates: readonly Update[]): Promise<readonly WriteOutcome[]>
  /** `consistent`: sees every write that was answered before the call. Otherwise it may be a second behind. */
  read(
    keys: readonly StoreKey[],
    options?: { readonly consistent?: boolean },
  ): Promise<readonly ReadOutcome[]>
  /** A page of the status index, the longest due first. It may be a second behind: read what it shows before acting on it. */
  due(query: DueQuery): Promise<DueOutcome>
  /** All or nothing, each on an item of its own. `claim` may only check (no set, no addTo) or also mark. */
  transact(claim: Update, writes: readonly (UserWrite | RawWrite)[]): Promise<TransactOutcome>
  /** Consistent read of the user's own table. */
  readUser(key: UserKey): Promise<UserItem | undefined>
}
