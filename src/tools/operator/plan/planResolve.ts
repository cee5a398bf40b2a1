import { isoTime } from '../../../base/time.ts'
import { encodeValue } from '../../../context/results/storedValue.ts'
import { INDEX_ATTRIBUTES } from '../../../claim/statusIndex.ts'
import { leftovers } from '../../../claim/token/claimWrites.ts'
import { ttlOf } from '../../../claim/token/endKey.ts'
import type { Token } from '../../../claim/token/token.ts'
import { isIdempotencyKey, splitId } from '../../../sweeper/address.ts'
import { optionWord } from '../text/commandLine.ts'
import { type ChangePlan, noChange } from './plan.ts'
import {
  headOf,
  isUndone,
  newFence,
  plannedChange,
  RETRY_FIELDS,
  retentionOf,
  UNDONE,
} from './tokenChange.ts'

/** How a parked request ended. `result`: what later callers of the key receive. */
export type Resolution =
  | { readonly as: 'done'; readonly result?: unknown }
  | { readonly as: 'failed'; readonly error: string }

/** The operator knows how the request ended. It never runs again, and duplicates are dropped for its retention, or 30 days. */
export function planResolve(token: Token, resolution: Resolution, now: number): ChangePlan {
  const about = headOf('tokens resolve', token, now)
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (token.status === 'complete') return noChange('nothing', about, 'it has ended already')
  const outcome =
    resolution.as === 'failed'
      ? { error: resolution.error }
      : resolution.result === undefined
        ? {}
        : { result: encodeValue(resolution.result) }
  const end = { actualCompletion: isoTime(now), ...ttlOf({ now, retention: retentionOf(token) }) }
  const removed = [
    'status',
    'leaseUntil',
    ...RETRY_FIELDS,
    ...INDEX_ATTRIBUTES,
    ...leftovers(token),
    'reason',
    'error',
    'stack',
    'notKept',
    'ttl',
  ]
  return plannedChange(about, token, now, {
    changes: [
      resolution.as === 'done'
        ? 'ends as done'
        : `ends as failed, with the error: ${resolution.error}`,
      ...effectOnCallers(token, resolution),
      ...deadLetterOf(token),
    ],
    set: { ...newFence(token, now), ...end, ...outcome },
    remove: removed.filter((name) => !(name in outcome) && !(name in end)),
  })
}

function deadLetterOf({ pk, death }: Token): readonly string[] {
  if (death === 0 || isIdempotencyKey(pk)) return []
  const id = optionWord('--id', splitId(pk).rest)
  return [`its dead letter stays on its queue; to take it off: lineclear dlq discard --all ${id}`]
}

function effectOnCallers({ pk }: Token, resolution: Resolution): readonly string[] {
  if (!isIdempotencyKey(pk)) return ['its messages are dropped as duplicates; it never runs again']
  if (resolution.as === 'failed') return ['later callers of the key get that error; nothing runs']
  return resolution.result === undefined
    ? ['later callers of the key learn that it is done, without a result; nothing runs']
    : [`later callers of the key get the result ${JSON.stringify(resolution.result)}; nothing runs`]
}
