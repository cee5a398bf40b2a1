import { findResult } from '../context/results/findResult.ts'
import type { Item } from '../store/store.ts'
import type { KeyConfig } from './keyConfig.ts'

/** What stands in the way: who did it, or does it. Times are ISO-8601, UTC. */
export interface LockStatus<Result> {
  /**
   * `complete`: done, with a result, or with the error that is its answer. `inProgress`: held by another attempt, or done a moment ago,
   * with a large result that is still being put away.
   * `error`: failed, a person has to look. `unknown`: nobody knows whether it was done.
   */
  readonly status: 'complete' | 'error' | 'inProgress' | 'unknown'
  readonly result: Result | undefined
  readonly error: string | undefined
  /** Why a token that is complete has no result: too large, not to be encoded, gone. */
  readonly notKept: string | undefined
  readonly lockedBy: string
  readonly created: string
  readonly expectedCompletion: string
  readonly actualCompletion: string | undefined
}

/** @throws when the result is there, but cannot be read now. */
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
    // What was encoded is what this key's work gave: the scope stands for one kind of work.
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
  // A token that is on its way to a dead-letter queue is not at its end either.
  return status === 'error' || status === 'unknown' ? status : 'inProgress'
}

function textOr<Default>(value: unknown, otherwise: Default): string | Default {
  return typeof value === 'string' ? value : otherwise
}
