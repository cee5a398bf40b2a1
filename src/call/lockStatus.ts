import { findResult } from '../context/results/tokenResult.ts'
import type { Item } from '../store/store.ts'
import type { KeyConfig } from './keyConfig.ts'

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
    // The stored result has the type of this scope's work, because a scope stands for one kind of work.
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
