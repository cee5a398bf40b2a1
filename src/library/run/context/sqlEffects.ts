import type { Fencing } from '../../protocol/claim/hold.ts'
import type { Stored } from './context.ts'

/** An attempt, as a SQL database has to know it. */
export interface SqlAttempt {
  /** Which attempt of which request it is, and whether it is later than another one. */
  readonly fencing: Fencing
  /** How long the request is remembered, milliseconds. */
  readonly retention: number
  /** Milliseconds until the time of the invocation is nearly up; 0 when it is. */
  timeLeft(): number
}

/**
 * A SQL database that takes part in the claims of a consumer, such as `postgresEffects(pool)` of `lineclear/postgres`. The
 * consumer raises the fence of an attempt before its handler begins, unless no other attempt can be late, and before its dead
 * letter leaves. From then on no transaction of an earlier attempt can commit.
 * @example const bookings: SqlEffects<PostgresTransaction> = postgresEffects(pool)
 */
export interface SqlEffects<Tx> {
  /**
   * Waits for the open transactions of earlier attempts, and refuses their later ones.
   * @throws SupersededError when a later attempt has raised the fence; StoreUnavailableError when the database gives no answer
   */
  raise(attempt: SqlAttempt): Promise<void>
  /** The call `ctx.sql` of one attempt. */
  open(attempt: SqlAttempt & Pick<OpenAttempt, 'assertOpen'>): OpenSql<Tx>
}

interface OpenAttempt {
  /** @throws RetryableError when the attempt has ended: no effect may begin any more */
  assertOpen(): void
}

/** What a database gives one attempt. */
export interface OpenSql<Tx> {
  /** As `ctx.sql`. */
  sql<T>(name: string, work: (tx: Tx) => T | Promise<T>): Promise<Stored<T>>
  /** @throws ConfigError within the function of a `ctx.sql`, which may use its transaction only */
  assertOutside(): void
}

/**
 * What the option `sql` adds to the context of a handler. `Tx` is the transaction of your database client.
 * @example const book = (ctx: RecordContext & SqlContext<PostgresTransaction>) => ctx.sql('book', (tx) => tx.query('…'))
 */
export interface SqlContext<Tx> {
  /**
   * Runs a function in a transaction of your database, exactly once: the mark that it was made, its result and the fence of this
   * attempt are rows in the same transaction. Later attempts are given the stored result, as that of `ctx.call`. `name` is unique
   * in the handler and the same in every attempt. `work` may use only `tx`: it runs again when the database reports a
   * serialization failure, a deadlock or a lost connection, each time in a new transaction. Calls run one after the other.
   * @returns what `work` returned, as it is stored
   * @throws what `work` throws, after a rollback; SupersededError when another attempt has taken over; StoreUnavailableError
   * when the database gives no answer; ConfigError when the result cannot be stored (then nothing was committed).
   * @example await ctx.sql('book', (tx) => tx.query('insert into bookings (id) values ($1)', [order.orderId]))
   */
  readonly sql: <T>(name: string, work: (tx: Tx) => T | Promise<T>) => Promise<Stored<T>>
}

/** In place of `SqlContext` where the option is not given: the compiler says so. */
interface WithoutSql {
  readonly sql: (
    name: 'ctx.sql needs the option sql, such as postgresEffects(pool)',
    work: never,
  ) => Promise<never>
}

/** `undefined`: the option `sql` is not given. `unknown`: it is not known whether it is, as in `Parameters<typeof recordHandler>`. */
export type SqlOf<Tx> = unknown extends Tx
  ? unknown
  : [Tx] extends [undefined]
    ? WithoutSql
    : SqlContext<Tx>
