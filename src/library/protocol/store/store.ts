import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb'
import { StoreUnavailableError, type UnknownFormatError } from '../../base/errors.ts'
import { aStore, wrongOption } from '../../base/options.ts'

/**
 * The store takes conditional writes as data. Protocols (lock token, stage record) are pure functions that build these values
 * and interpret their outcomes; an adapter only executes them, so that memory and DynamoDB cannot disagree on a rule.
 */

/** A value of the framework's own table. It is flat, because an update of a nested path fails while its parent is missing. */
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
  /** The set has so many members, at least one. */
  | { readonly field: string; readonly members: number }
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }

/**
 * An update that happens only if `where` holds. It never creates the item: otherwise a condition on a missing item would leave
 * one behind.
 */
export interface Update {
  readonly key: StoreKey
  readonly where: readonly Condition[]
  readonly set?: Readonly<Record<string, Comparable>>
  readonly remove?: readonly string[]
  readonly addTo?: { readonly field: string; readonly member: string }
  /** The caller does not read the item after the write, and the answer may leave it out. */
  readonly needsNoItem?: true
}

export interface Failed {
  readonly kind: 'failed'
  readonly error: Error
}

/**
 * There is an item, and this version does not know its format: it is neither ours nor nothing. Nothing may be decided on it, and
 * no write has changed it.
 */
export interface NotKnown {
  readonly kind: 'notKnown'
  readonly error: UnknownFormatError
}

/**
 * `item` is the item that is in the store now: after the write, or the one that refused it (undefined: there is none). After an
 * applied update it may be missing even if the caller needs it, because not every engine returns it from a batch: then read it.
 */
export type WriteOutcome =
  | { readonly kind: 'applied'; readonly item: Item | undefined }
  | { readonly kind: 'refused'; readonly item: Item | undefined }
  | NotKnown
  | Failed

/** An item of our format, nothing, or what is not known to this version. */
export type ReadOutcome =
  | { readonly kind: 'found'; readonly item: Item | undefined }
  | NotKnown
  | Failed

/** Selects items that the status index lists under one status and shard. */
export interface DueQuery {
  /** `<status>#<n>`. */
  readonly statusShard: string
  /** Epoch milliseconds. Items that are due earlier are left out. Default: none are. */
  readonly from?: number | undefined
  /** Epoch milliseconds. Items that are due later are left out. */
  readonly until: number
  readonly most: number
  /** The `next` of the previous page. */
  readonly after?: string | undefined
}

/** `dueAt`: epoch milliseconds. */
export interface DueKey extends StoreKey {
  readonly dueAt: number
}

export type DueOutcome =
  | {
      readonly kind: 'found'
      readonly keys: readonly DueKey[]
      readonly next: string | undefined
    }
  | Failed

/**
 * A value in one of your own tables. When it is read, a whole number beyond ±(2^53 - 1) is a bigint, whatever it was written
 * as, and every other number is a number: a fraction of more than 17 digits, which only another program can have written, is
 * rounded to the nearest one. An empty set is left out, since DynamoDB has none.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
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
/** An item of one of your own tables, by the names of its attributes. */
export type UserItem = Readonly<Record<string, UserValue>>
/** Where an item of one of your own tables is. */
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
  | { readonly all: readonly UserCondition[] }
  | { readonly any: readonly UserCondition[] }

/**
 * An item of the SDK's TransactWriteItems, for a write that has no other form here. On DynamoDB only: the memory store cannot
 * read expressions. Values are AttributeValues, such as `{ S: 'a' }`, as `marshall` of `@aws-sdk/util-dynamodb` makes
 * them.
 */
export interface RawWrite {
  readonly raw: TransactWriteItem
}

/** An item that must not be there yet. */
export interface Creation {
  readonly create: Item & StoreKey
}

/** What is written together with a claim: into the user's tables, or an item of the framework's own. */
export type BesideClaim = UserWrite | RawWrite | Creation

/**
 * The claim is marked in the same transaction as the user's writes. `index`: the first write that was refused. `item`: the item that
 * refused it.
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
  | NotKnown
  | Failed

/** The DynamoDB table of a store. */
export interface TableSource {
  readonly tableName: string
  client(): Promise<DynamoDBClient>
}

/**
 * Where claims, records and steps are kept: `dynamoDbStore({ tableName })`, or `memoryStore()` in tests. Calls take many
 * entries, because the round trip is the cost. Outcomes are in the order of the requests; a call never rejects because of the
 * store: such entries are `failed`.
 */
export interface Store {
  /** The store is in memory. A consumer with such a store makes no AWS client by default. */
  readonly inMemory?: true
  /** Where the items are, for the sweeper, which searches the whole table. Default: it does not search. */
  readonly source?: TableSource
  /**
   * Writes an item whose key is not there yet, with the format number of this version. Refused: `item` is the existing one, if the
   * engine shows it.
   */
  create(items: readonly (Item & StoreKey)[]): Promise<readonly WriteOutcome[]>
  /** Changes items of the format of this version only. */
  update(updates: readonly Update[]): Promise<readonly WriteOutcome[]>
  /** `consistent`: sees every write that was acknowledged before the call. Otherwise the answer may be a second old. */
  read(
    keys: readonly StoreKey[],
    options?: { readonly consistent?: boolean },
  ): Promise<readonly ReadOutcome[]>
  /** A page of the status index, the longest overdue first. It may be a second old: read an item before acting on it. */
  due(query: DueQuery): Promise<DueOutcome>
  /** All writes are applied or none, each on a different item. `claim` is marked or created. */
  transact(claim: Update | Creation, writes: readonly BesideClaim[]): Promise<TransactOutcome>
  /** Reads an item of the user's own table consistently. */
  readUser(key: UserKey): Promise<UserItem | undefined>
}

/** The outcome of a store call with one entry. */
export function onlyOutcome<O extends { readonly kind: string }>(
  outcomes: readonly O[],
): O | Failed {
  return (
    outcomes[0] ?? { kind: 'failed', error: new StoreUnavailableError('the store gave no outcome') }
  )
}

/**
 * As `onlyOutcome`, but what gives no item to decide on is thrown.
 * @throws the error of a failed entry, and of an item that is not known to this version
 */
export function outcomeOrThrow<O extends { readonly kind: string }>(
  outcomes: readonly (O | Failed | NotKnown)[],
): Exclude<O, Failed | NotKnown> {
  const outcome = onlyOutcome(outcomes)
  if (hasNoAnswer(outcome)) throw outcome.error
  return outcome as Exclude<O, Failed | NotKnown>
}

/** Whether the store gave nothing that could be decided on: no answer, or an item that is not known to this version. */
export function hasNoAnswer<O extends { readonly kind: string }>(
  outcome: O | undefined,
): outcome is Extract<O, Failed | NotKnown> {
  return outcome?.kind === 'failed' || outcome?.kind === 'notKnown'
}

/** For callers whose attempt ends in both cases: SQS delivers the record again, and the error says why. */
export function asFailed({ error }: Failed | NotKnown): Failed {
  return { kind: 'failed', error }
}

/**
 * @throws ConfigError when a JavaScript caller passes something that is not a store, such as the name of a table or an unset variable
 */
export function assertStore(where: string, store: unknown): asserts store is Store {
  if (!aStore.isRight(store)) throw wrongOption(where, 'store', aStore.expected, store)
}
