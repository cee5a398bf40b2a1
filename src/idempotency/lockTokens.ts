import type { Context } from 'aws-lambda'
import { ConfigError, messageOf, RejectedError } from '../errors.ts'
import { nothingWasRun } from '../context/neverReached.ts'
import { sortableId } from '../sortableId.ts'
import { claimKey } from '../claim/token/claimKey.ts'
import { LEASE_MARGIN_MS, timeLeft } from '../claim/token/lease.ts'
import type { Store } from '../store/store.ts'
import { classifyCall } from './classify.ts'
import { type LockStatus, readLockStatus } from './lockStatus.ts'
import { holdKey, type HeldKey, type EndOutcome } from './heldKey.ts'
import { type CallOutcome, keyConfig, type KeyOptions } from './keyConfig.ts'
import { describeKey, tokenPk, requireScope } from './keyNames.ts'

export interface LockTokenOptions extends KeyOptions {
  /** Keeps tokens apart: one per kind of work, or per customer, so that nobody gets another's result. */
  readonly scope: string
}

/** The token is held: do the work, then end it, once. No method rejects: done work stays done, whatever the store says. */
export interface Lock<Result> {
  readonly existing: undefined
  /** Grows with each holder of this token: a condition on it keeps older holders from writing. */
  readonly fence: number
  /** The work is done; later callers are given `result`. */
  endWithSuccess(result: Result): Promise<EndOutcome>
  /** The work failed, and a person has to look: status `error`, never run again by itself. */
  endWithError(error: string): Promise<EndOutcome>
  /** The work is done, and its answer is an error: complete, later callers are given the same error. */
  fail(error: string): Promise<EndOutcome>
  /** Nobody knows whether it was done: status `unknown`, never run again by itself. */
  unknown(error: string): Promise<EndOutcome>
  /** It was not done: the next caller may begin. */
  release(): Promise<EndOutcome>
  /** One of these four, by what was thrown: see `classifyCall`; what it cannot tell needs a person. */
  endWithThrown(thrown: unknown): Promise<EndOutcome>
}

export interface LockTokens<Result> {
  /**
   * One write. Resolves to the lock, or to what stands in its way. The lock can be taken over when its holder is dead:
   * after `expectedDurationMs`, or after the time that Lambda gives the holder, if that is longer, and 5 seconds more. Outside
   * Lambda `expectedDurationMs` has to be the longest time that the work can take: nothing tells whether it still runs.
   * @param token the idempotency key, such as `order_12345`.
   * @param lockedBy the context of the Lambda, or a text that names this execution.
   * @throws RejectedError when the token is empty or too long; StoreUnavailableError when the store gives no answer, and
   * then the work must not be done.
   */
  begin(
    token: string,
    lockedBy: string | Context,
    expectedDurationMs: number,
  ): Promise<{ readonly existing: LockStatus<Result> } | Lock<Result>>
}

/**
 * Lock tokens by hand: a section of code, best with a single call in it, that is run once per token.
 * Default retention: 30 days.
 */
export function lockTokens<Result = unknown>(
  store: Store,
  options: LockTokenOptions,
): LockTokens<Result> {
  const scope = requireScope('lockTokens', options)
  const config = keyConfig(store, options, '30d')
  return {
    async begin(token, lockedBy, expectedDurationMs) {
      const pk = checkBegin(scope, token, expectedDurationMs)
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
        },
        now,
      )
      switch (claim.kind) {
        case 'failed':
          throw nothingWasRun(claim.error)
        case 'taken': {
          const existing = await readLockStatus<Result>(claim.item, config)
          config.count(scope, OUTCOME[existing.status])
          return { existing }
        }
        case 'claimed':
          config.count(scope, 'started')
          return lockOf(
            holdKey(config, claim.token, claim.item, {
              scope,
              lockToken: token,
              timeLeft: () => (left === undefined || left <= 0 ? undefined : timeLeft(lockedBy)),
            }),
          )
      }
    },
  }
}

const OUTCOME: Readonly<Record<LockStatus<unknown>['status'], CallOutcome>> = {
  complete: 'replayed',
  inProgress: 'inProgress',
  error: 'blocked',
  unknown: 'blocked',
}

function lockOf<Result>(heldKey: HeldKey): Lock<Result> {
  const byClass = {
    release: () => heldKey.release('it was not done'),
    final: (error: string) => heldKey.completeWithError(error),
    needsOperator: (error: string) => heldKey.park('error', error),
    unknown: (error: string) => heldKey.park('unknown', error),
  }
  return {
    existing: undefined,
    fence: heldKey.fence,
    endWithSuccess: (result) => heldKey.complete(result),
    endWithError: byClass.needsOperator,
    fail: byClass.final,
    unknown: byClass.unknown,
    release: byClass.release,
    endWithThrown: (thrown) => byClass[classifyCall(thrown)](messageOf(thrown)),
  }
}

function nameOf(lockedBy: string | Context): string {
  if (typeof lockedBy === 'string') return lockedBy
  return `${lockedBy.functionName}/${lockedBy.awsRequestId}`
}

/** @returns the key of the token. */
function checkBegin(scope: string, token: unknown, expectedDurationMs: unknown): string {
  const text = typeof token === 'string' && token !== '' ? token : undefined
  const pk = text === undefined ? undefined : tokenPk(scope, undefined, text)
  if (pk === undefined) {
    throw nothingWasRun(
      new RejectedError(
        `begin: expected token to be a text of at most 2,000 bytes, got ${describeKey(token)}; nothing was claimed`,
      ),
    )
  }
  if (
    typeof expectedDurationMs === 'number' &&
    expectedDurationMs > 0 &&
    expectedDurationMs < Infinity
  )
    return pk
  throw new ConfigError(
    `begin: expected expectedDurationMs to be milliseconds, more than 0, got ${String(expectedDurationMs)}`,
  )
}
