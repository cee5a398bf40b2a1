import type { Item } from '../store/store.ts'
import { readExisting } from './existing.ts'
import type { Guard } from './guard.ts'
import { withReplayMark } from './http/answer.ts'
import type { HttpEvent } from './http/httpEvent.ts'
import type { Refusal } from './refusal.ts'
import { decodeError } from './storedError.ts'

export type Replayed<Output> =
  | { readonly kind: 'answer'; readonly output: Output }
  /** The answer of the first run was an error. */
  | { readonly kind: 'throw'; readonly error: Error }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** What later callers are given, fresh for each: nobody can change what the next one gets. */
export async function replay<Args extends readonly unknown[], Output>(
  guard: Guard<Args, Output>,
  http: HttpEvent | undefined,
  item: Item,
): Promise<Replayed<Output>> {
  const { markReplay = true, onReplay } = guard.options
  const existing = await readExisting<unknown>(item, guard)
  const { status, error, notKept, created: from } = existing
  if (status === 'error' || status === 'unknown') {
    return { kind: 'refused', refusal: { kind: 'parked', as: status, error: error ?? '' } }
  }
  guard.logger.info('answered from the first run', { lockToken: item['pk'], from })
  if (error !== undefined) return { kind: 'throw', error: decodeError(error) }
  if (notKept !== undefined) {
    const doneAt = existing.actualCompletion ?? from
    return { kind: 'refused', refusal: { kind: 'not kept', why: notKept, doneAt } }
  }
  const { result } = existing
  // It is of the type that the function gave: scope and key stand for this function.
  const output = (
    http !== undefined && markReplay ? withReplayMark(result, from) : result
  ) as Output
  return { kind: 'answer', output: onReplay === undefined ? output : onReplay(output, { from }) }
}
