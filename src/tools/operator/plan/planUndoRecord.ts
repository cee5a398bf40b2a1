import type { Token } from '../../../claim/token/token.ts'
import type { Item } from '../../../store/store.ts'
import {
  askAgain,
  deadRecordOf,
  isUndo,
  type KeptRecord,
  readKeptRecord,
  startUndo,
  undoAsked,
} from '../../../claim/token/deadRecord.ts'
import { recordUndoMessage } from '../../../features/undo/keptPayload.ts'
import { isIdempotencyKey } from '../../../sweeper/address.ts'
import { type ChangePlan, noChange } from './plan.ts'
import { headOf, newFence, asShown } from './tokenChange.ts'
import { tokenKeyOf } from '../../../claim/token/claimWrites.ts'

/** Has the effects of a dead record undone. After that it cannot be redriven. @param input the item of its kept payload */
export function planUndoRecord(token: Token, input: Item | undefined, now: number): ChangePlan {
  const about = headOf('tokens undo', token, now)
  if (token.status === 'undone') return noChange('nothing', about, 'its effects are undone')
  const kept = readKeptRecord(input)
  const reason = whyNot(token, kept, now)
  if (reason !== undefined || kept === undefined)
    return noChange('impossible', about, reason ?? NOT_KEPT)
  const message = recordUndoMessage(deadRecordOf(token), kept, now)
  const again = token.status === 'undoing'
  const { attemptId } = newFence(token, now)
  const { set, remove = [] } = startUndo(token, now)
  return {
    kind: 'change',
    ...about,
    changes: again
      ? ['the message that asks for its undo is sent again: a second one does nothing']
      : [
          'its effects are undone, by the handlers of the option undo of its consumer',
          'it cannot be redriven: its dead letter is dropped as undone',
        ],
    liveLease: undefined,
    effect: {
      kind: 'send',
      mark: again
        ? askAgain(token, now)
        : { key: tokenKeyOf(token), where: asShown(token), set: { ...set, attemptId }, remove },
      queueUrl: kept.queue,
      message,
      afterwards: undoAsked(token, now),
    },
  }
}

const NOT_KEPT = 'its payload is no longer kept: make the changes by hand'
const NO_OPTION =
  'its consumer had no option undo in each of its attempts, so that its marks may not show all effects: redrive its dead letter'

function whyNot(token: Token, kept: KeptRecord | undefined, now: number): string | undefined {
  if (isIdempotencyKey(token.pk)) return 'keys cannot be undone, only records and runs of flows'
  if (isUndo(token.pk)) return 'it is an undo: redrive its dead letter, and it goes on'
  if (token.status === 'complete') return 'it is done: only what is dead can be undone'
  if (token.status === 'inProgress' || token.status === 'dying') {
    return 'it is not dead: it continues by itself, or its dead letter is being sent'
  }
  if (token.status === 'undoing') return kept === undefined ? NOT_KEPT : undefined
  if (kept?.death === token.death && token.undoable === token.fence) {
    return kept.keptUntil > now ? undefined : NOT_KEPT
  }
  if (token.undoable !== token.fence) return NO_OPTION
  return token.applied.size + token.calls.size === 0 ? 'it has made no effects' : NOT_KEPT
}
