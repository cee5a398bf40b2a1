import type { Context } from 'aws-lambda'
import { ConfigError, messageOf, RejectedError, TerminalError } from '../../base/errors.ts'
import { stackOf } from '../../base/stack.ts'
import { missingIn } from '../../base/ids.ts'
import { lambdaFields } from '../../base/handler.ts'
import { withFields } from '../../base/logger.ts'
import { nothingWasRun } from '../../run/context/neverReached.ts'
import { sortableId } from '../../base/sortableId.ts'
import { claimKey } from '../../protocol/claim/token/claimKey.ts'
import { LEASE_MARGIN_MS, timeAhead, timeLeft } from '../../protocol/claim/lease.ts'
import { kindOf } from '../../base/kindOf.ts'
import {
  aStore,
  checkOptions,
  type Checks,
  hasMembers,
  required,
  trueOrFalse,
} from '../../base/options.ts'
import type { Store, Item } from '../../protocol/store/store.ts'
import { classifyCall, type FailureClass } from './classify.ts'
import { holdKey, type HeldKey, type EndOutcome } from './heldKey.ts'
import type { CallMetric } from '../../features/metrics/metrics.ts'
import { aName, KEY_OPTIONS, type KeyConfig, keyConfig, type KeyOptions } from './keyConfig.ts'
import { describeKey, tokenPk } from './readKey.ts'
import { findResult } from '../../run/context/results/tokenResult.ts'

/** Options of `lockTokens`. Default retention: 30 days. */
export interface LockTokenOptions extends KeyOptions {
  /** Where tokens and results are stored, such as `dynamoDbStore({ tableName })`. */
  readonly store: Store
  /** Keeps tokens apart: one name for each kind of work, such as `'refunds'`. Required. */
  readonly name: string
  /**
   * What happens to a token whose holder has died. `true` (default): when its lease is over, the next caller does the work again.
   * `false`: nothing else ever attempts the work by itself. When the lease is over, the token is parked: it waits for an operator,
   * callers get the status `unknown`, and the sweeper's `waitingTasks` counts it. With `retention: 'forever'` that holds for ever;
   * otherwise until the end of the work is forgotten. Only `release`, and an operator's decision, make the token free.
   */
  readonly takeOver?: boolean
}

/**
 * A lock token that you hold: do the work, then call one of the methods, once. None of them rejects, since the work cannot be
 * undone by then: each resolves to whether the end was stored.
 */
export interface Lock<Result> {
  readonly existing: undefined
  /**
   * A fencing token: grows with each holder of this lock token. Write it with your data, and make your writes conditional on
   * it, to refuse writes of an earlier holder.
   * @example const guard = newerThan('fence', lock.fence)
   */
  readonly fence: number
  /**
   * The work is done: status `complete`. Later callers get `result`.
   * @example await lock.endWithSuccess(receipt)
   */
  endWithSuccess(result: Result): Promise<EndOutcome>
  /**
   * The work failed, with a text or with what it threw. `classifyCall` says what that means:
   * - TerminalError: done, and its answer is an error. Status `complete`; later callers get the same error.
   * - UnknownOutcomeError, or a connection that broke: perhaps done. Parked: status `unknown`, not run again until an operator has
   *   resolved it.
   * - RetryableError, or a connection that was never made: not done. As `release`.
   * - A text, or any other error: parked with the status `error`, until an operator has resolved it.
   * @example await lock.endWithError(new TerminalError('card declined'))
   */
  endWithError(error: unknown): Promise<EndOutcome>
  /**
   * The work was not done: the next caller may run at once.
   * @example await lock.release()
   */
  release(): Promise<EndOutcome>
}

/** Acquires lock tokens of one name; made by `lockTokens`. */
export interface LockTokens<Result> {
  /**
   * Acquires the lock token, with one write. Resolves to the lock (`existing` is undefined), or to `existing`: the attempt
   * that holds it, or how it ended.
   *
   * The lease lasts `expectedDurationMs`, or Lambda's remaining time if that is longer, plus 5 seconds for clock differences.
   * After that another caller takes over, or, with `takeOver: false`, the token waits for an operator. It is not renewed: outside Lambda, and on Managed Instances, where code runs on after
   * its time, `expectedDurationMs` must be the longest time that the work can take.
   * @param token the idempotency key, such as `order_12345`
   * @param lockedBy the Lambda context, or a text that names this execution
   * @throws RejectedError when the token is empty or too long
   * @throws StoreUnavailableError when the store does not answer: do not do the work
   * @throws ConfigError when `expectedDurationMs` is not a number above 0
   * @example
   * const lock = await refunds.begin(paymentId, context, 10_000)
   * if (lock.existing !== undefined) return lock.existing.result
   * try {
   *   const receipt = await refundAtProvider(paymentId)
   *   await lock.endWithSuccess(receipt)
   *   return receipt
   * } catch (error) {
   *   await lock.endWithError(error)
   *   throw error
   * }
   */
  begin(
    token: string,
    lockedBy: string | Context,
    expectedDurationMs: number,
  ): Promise<{ readonly existing: LockStatus<Result> } | Lock<Result>>
}

/**
 * Lock tokens for a section of code, best with a single outside call in it, that must run once per token. You decide how it
 * ends, and what later callers do with an earlier end. Default retention: 30 days.
 * @throws ConfigError at once, naming the option, when an option is wrong or does not exist
 * @example
 * import { lockTokens } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 * const refunds = lockTokens<{ readonly receiptId: string }>({ store, name: 'refunds' })
 */
export function lockTokens<Result = unknown>(options: LockTokenOptions): LockTokens<Result> {
  checkOptions('lockTokens', options, OPTIONS)
  const { store, name, takeOver = true } = options
  const shared = keyConfig(store, options, '30d')
  return {
    async begin(token, lockedBy, expectedDurationMs) {
      const pk = checkBegin(name, token, lockedBy, expectedDurationMs)
      const config = typeof lockedBy === 'string' ? shared : inLambda(shared, lockedBy)
      const now = config.clock.now()
      const left = timeLeft(lockedBy)
      const duration = Math.max(expectedDurationMs, left ?? 0)
      const claim = await claimKey(
        store,
        {
          pk,
          attemptId: sortableId(now),
          lockedBy: nameOf(lockedBy),
          leaseUntil: now + duration + LEASE_MARGIN_MS,
          expectedCompletion: now + expectedDurationMs,
          payloadHash: undefined,
          retention: config.retention,
          // What is held by hand may be forgotten by a process that lives: operators see it while it is held.
          listedAtOnce: true,
          parksAfterLease: !takeOver,
        },
        now,
      )
      switch (claim.kind) {
        case 'failed':
          throw nothingWasRun(claim.error)
        case 'taken': {
          const existing = await readLockStatus<Result>(claim.item, config)
          config.count(name, OUTCOME[existing.status])
          return { existing }
        }
        case 'claimed':
          config.begun(name, claim)
          return lockOf(
            holdKey(config, {
              held: claim,
              item: claim.item,
              name,
              lockToken: token,
              timeLeft: () => timeAhead(lockedBy),
            }),
          )
      }
    },
  }
}

const OPTIONS: Checks<LockTokenOptions> = {
  store: aStore,
  name: required(aName),
  takeOver: trueOrFalse,
  ...KEY_OPTIONS,
}

const OUTCOME: Readonly<Record<LockStatus<unknown>['status'], CallMetric>> = {
  complete: 'replayed',
  inProgress: 'inProgress',
  error: 'blocked',
  unknown: 'blocked',
}

const END_BY_CLASS: Readonly<
  Record<FailureClass, (held: HeldKey, error: string, stack?: string) => Promise<EndOutcome>>
> = {
  release: (held, error, stack) => held.release(error, stack),
  terminal: (held, error, stack) => held.completeWithError(error, stack),
  parked: (held, error, stack) => held.park('error', error, stack),
  unknown: (held, error, stack) => held.park('unknown', error, stack),
}

function lockOf<Result>(heldKey: HeldKey): Lock<Result> {
  return {
    existing: undefined,
    fence: heldKey.fence,
    endWithSuccess: (result) => heldKey.complete(result),
    endWithError(thrown) {
      const error = textOf(thrown)
      return END_BY_CLASS[classifyCall(thrown)](heldKey, error, stackOf(thrown))
    },
    release: () => heldKey.release('released by the caller'),
  }
}

/** What later callers get of a TerminalError is its message, as it was written. */
function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  return thrown instanceof TerminalError ? thrown.message : messageOf(thrown)
}

function inLambda(config: KeyConfig, lambda: Context): KeyConfig {
  return { ...config, logger: withFields(config.logger, lambdaFields(lambda)) }
}

function nameOf(lockedBy: string | Context): string {
  if (typeof lockedBy === 'string') return lockedBy
  return `${lockedBy.functionName}/${lockedBy.awsRequestId}`
}

/** @returns the partition key of the token */
function checkBegin(
  name: string,
  token: unknown,
  lockedBy: unknown,
  expectedDurationMs: unknown,
): string {
  const text = typeof token === 'string' && token !== '' ? token : undefined
  const pk = text === undefined || missingIn(text) ? undefined : tokenPk(name, undefined, text)
  if (pk === undefined) {
    throw nothingWasRun(
      new RejectedError(
        `begin: expected token to be a text of at most 2,000 bytes; got ${describeKey(token)}. Nothing was claimed`,
      ),
    )
  }
  const isCaller = typeof lockedBy === 'string' || hasMembers(lockedBy, 'functionName')
  if (!isCaller) {
    throw new ConfigError(
      `begin: expected lockedBy to be a text, or the context of Lambda; got ${kindOf(lockedBy)}. Nothing was claimed.`,
    )
  }
  if (
    typeof expectedDurationMs === 'number' &&
    expectedDurationMs > 0 &&
    expectedDurationMs < Infinity
  )
    return pk
  throw new ConfigError(
    `begin: expected expectedDurationMs to be milliseconds above 0; got ${String(expectedDurationMs)}. Nothing was claimed.`,
  )
}

/** Why a lock token was not acquired: the attempt that holds it, or that ended it. Times are ISO-8601, UTC. */
export interface LockStatus<Result> {
  /**
   * - `complete`: done, with `result`, or with the `error` that is its answer.
   * - `inProgress`: held by another attempt, or just done with a large result that is still being stored.
   * - `error`: failed, and waits for an operator.
   * - `unknown`: perhaps done, and waits for an operator.
   */
  readonly status: 'complete' | 'error' | 'inProgress' | 'unknown'
  readonly result: Result | undefined
  readonly error: string | undefined
  /** Why a completed token has no result: too large, not encodable, or deleted. */
  readonly notKept: string | undefined
  readonly lockedBy: string
  readonly created: string
  readonly expectedCompletion: string
  readonly actualCompletion: string | undefined
}

/** @throws when the result exists but cannot be read now */
export async function readLockStatus<Result>(
  item: Item,
  config: KeyConfig,
): Promise<LockStatus<Result>> {
  const status = statusOf(item['status'])
  const error = textOr(item['error'], undefined)
  const found =
    status === 'complete' && error === undefined ? await findResult(item, config) : undefined
  return {
    status: found?.kind === 'on its way' ? 'inProgress' : status,
    error,
    // The stored result has the type of this name's work, because one name is used for one kind of work.
    result: found?.kind === 'found' ? (found.result as Result) : undefined,
    notKept: found?.kind === 'not kept' ? found.why : undefined,
    lockedBy: textOr(item['lockedBy'], ''),
    created: textOr(item['created'], ''),
    expectedCompletion: textOr(item['expectedCompletion'], ''),
    actualCompletion: textOr(item['actualCompletion'], undefined),
  }
}

function statusOf(status: unknown): LockStatus<unknown>['status'] {
  if (status === undefined) return 'complete'
  // A token that is being dead-lettered has not ended yet.
  return status === 'error' || status === 'unknown' ? status : 'inProgress'
}

function textOr<Default>(value: unknown, otherwise: Default): string | Default {
  return typeof value === 'string' ? value : otherwise
}
