import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { DelayedMessage, DelayedSender } from '../context/delays.ts'
import type { SqlAttempt } from '../context/sqlEffects.ts'
import type { Trace, TracedDelivery } from '../context/trace.ts'
import type { Logger } from '../../base/logger.ts'
import type { Responses } from './partialResponses.ts'
import type { CarriedPayload, Envelope } from '../../protocol/record/envelope/envelope.ts'

/**
 * The seam between the kernel and the features beside it. A feature has the members that it needs, the kernel calls each of them
 * at one place, and a member that no feature has costs nothing. `consumer/features.ts` makes features of the options.
 *
 * Times are epoch milliseconds. A feature that throws fails the record, or the batch, as the kernel's own code would.
 */
export interface Feature extends Partial<Circuit> {
  /** Around a batch. Calls `next` once. */
  batch?<T>(records: readonly SQSRecord[], next: () => Promise<T>): Promise<T>
  /** Follows what happens in one invocation. */
  watch?(logger: Logger): Watch
  /** Opens one delivery, once its record is claimed or left. @returns undefined: it is not followed */
  delivery?(delivery: TracedDelivery): Trace | undefined
  /** What the event source mapping makes of the responses. */
  readonly responses?: Responses
  /** Bytes that `open` would need for the message beyond what is in the event. 0: it opens nothing. */
  bytesToOpen?(payload: CarriedPayload): number
  /** The envelope with the payload that its message does not hold. @throws RejectedError, StoreUnavailableError */
  open?(envelope: Envelope, payload: CarriedPayload, queueArn: string): Promise<Envelope>
  /**
   * From now on no earlier attempt can change anything outside the table: before the handler of each attempt that may have had
   * another before it, and before a dead letter leaves.
   * @throws SupersededError when a later attempt has done it already; StoreUnavailableError when there is no answer
   */
  raise?(attempt: SqlAttempt): Promise<void>
  /**
   * Keeps the copy for a retry that its queue cannot delay for so long.
   * @returns undefined: it is not kept, the queue has to take it. Else resolves with the failure, if there is one
   */
  keep?(
    sender: DelayedSender,
    copy: DelayedMessage & { readonly due: number },
  ): Promise<Error | undefined> | undefined
}

/**
 * Whether handlers may start. One feature of a consumer has these, or none. Times are epoch milliseconds.
 * @example
 * import { fakeClock } from 'lineclear/testing'
 *
 * const breaker = circuitBreaker({ after: 20, when: (error) => String(error).includes('503') })
 * const gate: Circuit = breaker.openFor({ name: 'orders', store, clock: fakeClock(), logger })
 */
export interface Circuit {
  /** Asked before records are claimed. @param wanted how many records would start */
  admit(wanted: number): Promise<Admission>
  /** Until when a claimed record has to wait after all, since the circuit has opened meanwhile. undefined: it may start. */
  heldUntil(): number | undefined
  /** Nothing was started under this admission: the next record may be the probe. */
  unused(probe: string): void
  /** A handler has completed. @param probe of the admission under which it started */
  succeeded(probe: string | undefined): Promise<void>
  /** A handler has thrown. @returns the attempt does not count, and the next one begins at that time; undefined: it counts */
  failed(error: unknown): Promise<number | undefined>
}

/**
 * What a circuit breaker lets through.
 * @example const held: Admission = { admitted: 0, probe: undefined, until: Date.now() + 30_000 }
 */
export interface Admission {
  /** How many of the wanted records may start. */
  readonly admitted: number
  /** The circuit is open, and the admitted record is to show whether it may be closed: identifies this time of being open. */
  readonly probe: string | undefined
  /** When SQS should deliver the other records again, epoch milliseconds. */
  readonly until: number
}

/** Follows one invocation. It must not throw. */
export interface Watch {
  /** A handler has run. @param duration milliseconds @param logger of the record: its lines have the `uniquerequestid` */
  ran?(attempt: number, duration: number, logger: Logger): void
  /** A delivery has settled. @param age milliseconds since its first sending; undefined when the record could not be read */
  settled?(settlement: Settlement, age: number | undefined): void
  /** Called at once, because the invocation may never end, or has ended already. */
  noticed?(what: 'lostAttempts' | 'lateCalls' | 'otherNames' | 'untold', times: number): void
  /** The invocation has ended. */
  ended?(): void
}

/**
 * One feature that does what all of them do. A member that only one feature has is passed through unwrapped. Most members may be
 * set by one feature only, because two would contradict each other.
 * @param features the outermost first: the order is part of what they mean
 */
export function compose(features: readonly Feature[]): Feature {
  const names = features.flatMap((each) => Object.keys(each))
  const doubled = names.find((name, nth) => names.indexOf(name) < nth && !OF_SEVERAL.has(name))
  if (doubled !== undefined) throw new Error(`two features of one consumer have ${doubled}`)
  const batches = features.flatMap((each) => each.batch ?? [])
  const watching = features.flatMap((each) => each.watch ?? [])
  const raising = features.flatMap((each) => each.raise ?? [])
  return {
    ...features.reduce((all, each) => ({ ...all, ...each }), {}),
    ...(batches.length > 1 && { batch: (records, run) => nested(batches, records, run) }),
    ...(watching.length > 1 && {
      watch: (logger) => together(watching.map((watch) => watch(logger))),
    }),
    ...(raising.length > 1 && {
      async raise(attempt) {
        for (const raise of raising) await raise(attempt)
      },
    }),
  }
}

const OF_SEVERAL: ReadonlySet<string> = new Set(['batch', 'watch', 'raise'])

function nested<T>(
  [outer, ...inner]: readonly NonNullable<Feature['batch']>[],
  records: readonly SQSRecord[],
  run: () => Promise<T>,
): Promise<T> {
  return outer === undefined ? run() : outer(records, () => nested(inner, records, run))
}

/** @param watches the outermost first: it is called last */
function together(watches: readonly Watch[]): Watch {
  const innerFirst = watches.toReversed()
  return {
    ran: (...given) => innerFirst.forEach((watch) => watch.ran?.(...given)),
    settled: (...given) => innerFirst.forEach((watch) => watch.settled?.(...given)),
    noticed: (...given) => innerFirst.forEach((watch) => watch.noticed?.(...given)),
    ended: () => innerFirst.forEach((watch) => watch.ended?.()),
  }
}
