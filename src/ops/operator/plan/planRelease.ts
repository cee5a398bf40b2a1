import { INDEX_ATTRIBUTES } from '../../../claim/statusIndex.ts'
import { ttlOf } from '../../../claim/token/endKey.ts'
import type { Token } from '../../../claim/token/token.ts'
import { displayId, isIdempotencyKey, splitId } from '../../address.ts'
import { unknownCalls } from '../explain/tokenState.ts'
import { optionWord, shellWord } from '../text/commandLine.ts'
import { type ChangePlan, noChange } from './plan.ts'
import {
  headOf,
  isFree,
  isUndone,
  isWholeSection,
  newFence,
  noSuchCall,
  plannedChange,
  RETRY_FIELDS,
  retentionOf,
  stepsOf,
  UNDONE,
} from './tokenChange.ts'

/** What the running call of a key does, for `--not-done`: its calls have no names. */
const SECTION = 'section'

/**
 * The request was not done. The next delivery runs it with a fresh retry budget, and makes calls with an unknown outcome again.
 * @param notDone the calls that were not made. Without their names they are not made again: a second charge is worse than a
 * question
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
  // Only `claimKey` removes the ttl again. A dead-lettered request may be claimed by code that does not.
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
  const doubtful = unknownCalls(token)
  const whole = isWholeSection(token)
  const running = whole && token.leaseUntil > now
  const known = whole ? [SECTION] : doubtful
  const wrong = notDone.find((name) => !known.includes(name))
  if (wrong !== undefined) return noSuchCall(wrong, known)
  const open = known.filter((name) => !notDone.includes(name))
  // A section that is not running was looked into by the operator, who says by the command that it was not done.
  if (open.length === 0 || (whole && !running)) return undefined
  const options = open.map((name) => optionWord('--not-done', name)).join(' ')
  return running
    ? `a call of it is running, and what that call does outside is not known. If it was killed and nothing was done, add ${options} --force`
    : `the outcome of ${quoted(open)} is not known: look at the outside system. If it was not made, add ${options}; if it was made: lineclear tokens reopen ${shellWord(displayId(token.pk))} --answer CALL=JSON`
}

function quoted(calls: readonly string[]): string {
  return calls.map((name) => `the call '${name}'`).join(', ')
}
