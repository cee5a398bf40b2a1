import type { RecordContext } from './context.ts'

/**
 * How a request has ended that did not complete, as `onFailure` learns it.
 * @example
 * function tell(order: Order | undefined, _ctx: RecordContext, end: FailureEnd): void {
 *   console.error(order?.orderId ?? end.text, end.reason, end.made.map(({ name }) => name))
 * }
 */
export interface FailureEnd {
  /**
   * `dead`: it is on the dead-letter queue. `dropped`: an operator has decided that its dead letter will not be redriven
   * (`lineclear decide ID drop`).
   */
  readonly as: 'dead' | 'dropped'
  /** Why: `exhausted`, `terminal`, `rejected`, `too old`, `unknown` (whether a call was made is not known), … */
  readonly reason: string
  /** Text of the last error, at most 300 characters. */
  readonly error: string
  /** True with the option `dead: 'final'`, and if it was dropped: it never runs again, and what it has made may be taken back. */
  readonly final: boolean
  /** How often the handler was begun since the last redrive. */
  readonly attempts: number
  /** How often this request has died, this time included: more than 1 after a redrive. */
  readonly deaths: number
  /** The body of the message, for one that cannot be read: then the payload is undefined. */
  readonly text: string
  /**
   * What its attempts have made in the table and outside, by the names of `ctx.write` and `ctx.call`. Messages are sent only by an
   * attempt that returns; effects of `ctx.sql` stand in the SQL database. A call with `ifUnknown: 'repeat'`, the default, leaves no
   * trace before its answer: that it is missing here does not say that it was not made. Void it by `keyOf`, or give the call
   * `'stop'`.
   */
  readonly made: readonly MadeEffect[]
  /** The idempotency key of a call of the request, to look for it or to void it: `end.keyOf('charge')`. As `ctx.idempotencyKey`. */
  keyOf(name: string, options?: { readonly maxLength?: number }): string
}

/**
 * An effect of a request that has ended badly. `unknown`: its call was begun, and whether it was made is not known. `result`: what a
 * call returned, if it was kept.
 */
export type MadeEffect =
  | { readonly name: string; readonly kind: 'write'; readonly outcome: 'made' }
  | {
      readonly name: string
      readonly kind: 'call'
      readonly outcome: 'made'
      readonly result?: unknown
    }
  | { readonly name: string; readonly kind: 'call'; readonly outcome: 'unknown' }

/** As the option `onFailure`, of any payload. */
export type OnFailure = (payload: unknown, ctx: RecordContext, end: FailureEnd) => unknown
