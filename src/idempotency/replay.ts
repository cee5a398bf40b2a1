import { messageOf } from '../errors.ts'
import type { Item } from '../store/store.ts'
import { readLockStatus } from './lockStatus.ts'
import type { IdempotencyConfig } from './config.ts'
import { withReplayHeader } from './http/replayHeader.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import type { CallRefusal } from './refusal.ts'
import { decodeError } from './storedError.ts'

export type ReplayResult<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  /** The answer of the first run was an error. */
  | { readonly kind: 'throw'; readonly error: Error }
  | { readonly kind: 'refused'; readonly refusal: CallRefusal }
  /** It has just ended, and its result is being put away. `until`: epoch milliseconds. */
  | { readonly kind: 'on its way'; readonly until: number }

/** What later callers are given, fresh for each: nobody can change what the next one gets. */
export async function replay<Args extends readonly unknown[], Output>(
  config: IdempotencyConfig<Args, Output>,
  http: HttpEvent | undefined,
  item: Item,
): Promise<ReplayResult<Output>> {
  const { markReplay = true, replayHeader = markReplay, onReplay } = config.options
  const existing = await readLockStatus<unknown>(item, config)
  const { status, error, notKept, created: from } = existing
  if (status === 'error' || status === 'unknown') {
    return { kind: 'refused', refusal: { kind: 'parked', as: status, error: error ?? '' } }
  }
  if (status === 'inProgress') return { kind: 'on its way', until: config.clock.now() + SOON_MS }
  if (notKept !== undefined) {
    const doneAt = existing.actualCompletion ?? from
    return { kind: 'refused', refusal: { kind: 'not kept', why: notKept, doneAt } }
  }
  config.logger.info('answered from the first run', { lockToken: item['pk'], from })
  if (error !== undefined) return { kind: 'throw', error: decodeError(error) }
  const { result } = existing
  // It is of the type that the function gave: scope and key stand for this function.
  const output = (
    http !== undefined && replayHeader ? withReplayHeader(result, from) : result
  ) as Output
  if (onReplay === undefined) return { kind: 'answer', output }
  try {
    return { kind: 'answer', output: await onReplay(output, { from }) }
  } catch (cause) {
    return { kind: 'refused', refusal: { kind: 'replay failed', because: messageOf(cause) } }
  }
}

/** Milliseconds. */
const SOON_MS = 1_000
