import { INDEX_ATTRIBUTES } from '../../../claim/statusIndex.ts'
import { ttlOf } from '../../../claim/token/endKey.ts'
import type { Token } from '../../../claim/token/token.ts'
import { displayId, isIdempotencyKey, splitId } from '../../../sweeper/address.ts'
import { unknownCalls } from '../explain/tokenState.ts'
import { isWholeSection, SECTION, unknownOutcomes } from '../explain/unknownOutcomes.ts'
import { optionWord, shellWord } from '../text/commandLine.ts'
import { type ChangePlan, noChange } from './plan.ts'
import {
  headOf,
  isFree,
  isUndone,
  newFence,
  noSuchCall,
  plannedChange,
  RETRY_FIELDS,
  retentionOf,
  stepsOf,
  UNDONE,
} from './tokenChange.ts'

/**
 * The request was not done. The next delivery runs it with a fresh retry budget, and makes calls with an unknown outcome again.
 * @param notDone what was not done: calls, or the section of a key. Without their names nothing is released: a second charge is
 * worse than a question
 */
export function planRelease(token: Token, notDone: readonly string[], now: number): ChangePlan {
  const about = headOf('tokens release', token, now)
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (token.status === 'complete') {
    return noChange('impossible', about, 'it is done: releasing it would run it twice')
  }
  if (isFree(token)) return noChange('nothing', about, 'it is free already')
  const doubtful = unknownCalls(token)
  const unsaid = unsaidCalls(token, notDone, now)
  if (unsaid !== undefined) return noChange('impossible', about, unsaid)
  // Only the claim of a key removes the ttl again. A dead-lettered request may be claimed by code that does not.
  const ofKey = token.death === 0 && (token.status === 'error' || token.status === 'unknown')
  return plannedChange(about, token, now, {
    changes: isWholeSection(token)
      ? [
          'becomes free: the next call for the key runs its whole section again',
          'whatever an earlier call did outside is done again: the table does not record it',
        ]
      : [
          `becomes free: the next ${isIdempotencyKey(token.pk) ? 'call' : 'message'} for it runs, and its attempts count from 1`,
          'effects applied through ctx and stored results of ctx.once are not repeated',
          ...(isIdempotencyKey(token.pk) ? [] : [whoRunsIt(token)]),
          ...doubtful.map((name) => `the call '${name}' counts as not made, and is made again`),
        ],
    set: {
      ...newFence(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...(ofKey ? ttlOf({ now, retention: retentionOf(token) }) : {}),
    },
    remove: [
      ...RETRY_FIELDS,
      ...INDEX_ATTRIBUTES,
      'reason',
      'error',
      'stack',
      'actualCompletion',
      ...stepsOf(doubtful),
    ],
  })
}

/** A free request is not in the status index: nothing lists it until a message for it is there. */
function whoRunsIt({ pk, death }: Token): string {
  const again = 'send it again with the same payload and the same id'
  return death > 0
    ? `nothing lists it until then. Redrive its dead letter: lineclear dlq redrive --all ${optionWord('--id', splitId(pk).rest)}; if that is gone, ${again}`
    : `nothing lists it until then. If its message is gone (its queue is empty), ${again}, or it never runs`
}

function unsaidCalls(token: Token, notDone: readonly string[], now: number): string | undefined {
  const known = unknownOutcomes(token)
  const wrong = notDone.find((name) => !known.includes(name))
  if (wrong !== undefined) return noSuchCall(wrong, known)
  const open = known.filter((name) => !notDone.includes(name))
  if (open.length === 0) return undefined
  const options = open.map((name) => optionWord('--not-done', name)).join(' ')
  if (open[0] === SECTION) return unsaidSection(token, options, now)
  return `the outcome of ${quoted(open)} is not known: look at the outside system. If it was not made, add ${options}; if it was made: lineclear tokens reopen ${shellWord(displayId(token.pk))} --answer CALL=JSON`
}

function unsaidSection({ pk, leaseUntil }: Token, options: string, now: number): string {
  return leaseUntil > now
    ? `a call of it is running, and what that call does outside is not known. If it was killed and nothing was done, add ${options} --force`
    : `whether its section was done is not known: look at the outside system. If nothing was done, add ${options}; if it was done: lineclear tokens resolve ${shellWord(displayId(pk))}`
}

function quoted(calls: readonly string[]): string {
  return calls.map((name) => `the call '${name}'`).join(', ')
}
