import { encodeValue } from '../../../context/results/storedValue.ts'
import { indexed } from '../../../claim/statusIndex.ts'
import { CALL_PREFIX, type Token } from '../../../claim/token/token.ts'
import { isIdempotencyKey } from '../../../sweeper/address.ts'
import { unknownCalls } from '../explain/tokenState.ts'
import { isWholeSection } from '../explain/unknownOutcomes.ts'
import { type ChangePlan, noChange } from './plan.ts'
import {
  headOf,
  isFree,
  isUndone,
  newFence,
  noSuchCall,
  plannedChange,
  RETRY_FIELDS,
  stepsOf,
  UNDONE,
} from './tokenChange.ts'

export interface ReopenOptions {
  /** Calls with an unknown outcome that were made: their results by name. */
  readonly answers?: ReadonlyMap<string, unknown>
  /** Calls with an unknown outcome that were not made. */
  readonly notDone?: readonly string[]
}

/** Lets a dead-lettered request run again when its dead letter is redriven. Nothing that it has done is repeated. */
export function planReopen(token: Token, reopening: ReopenOptions, now: number): ChangePlan {
  const about = headOf('tokens reopen', token, now)
  const { answers = new Map<string, unknown>(), notDone = [] } = reopening
  const doubtful = unknownCalls(token)
  const unknown = [...answers.keys(), ...notDone].find((name) => !doubtful.includes(name))
  if (token.status === 'complete') return noChange('impossible', about, 'it is done')
  if (isUndone(token)) return noChange('impossible', about, UNDONE)
  if (isFree(token)) return noChange('nothing', about, 'it may run already')
  if (token.status !== 'error' && token.status !== 'unknown') {
    return noChange(
      'impossible',
      about,
      'it is not parked: it continues by itself, or its dead letter is being sent',
    )
  }
  if (isWholeSection(token)) return noChange('impossible', about, KEYS_ARE_NOT_REOPENED)
  if (unknown !== undefined) return noChange('impossible', about, noSuchCall(unknown, doubtful))
  const both = notDone.find((name) => answers.has(name))
  if (both !== undefined) {
    return noChange('impossible', about, `the call '${both}' was made or was not made: say one`)
  }
  const open = doubtful.filter((name) => !answers.has(name) && !notDone.includes(name))
  return plannedChange(about, token, now, {
    changes: [
      'may run again, and its attempts count from 1; effects applied through ctx and stored results of ctx.once are not repeated',
      ...[...answers.keys()].map(
        (name) => `the call '${name}' counts as made, with the given result`,
      ),
      ...notDone.map((name) => `the call '${name}' counts as not made, and is made again`),
      ...open.map(
        (name) =>
          `the outcome of the call '${name}' stays unknown: the request is parked again, unless the call has verify() or effect: 'idempotent'`,
      ),
      isIdempotencyKey(token.pk)
        ? 'it runs at the next call with its key, or when its event is invoked again'
        : 'it runs when its message is delivered: redrive its dead letter (lineclear dlq redrive)',
    ],
    set: {
      ...newFence(token, now),
      status: 'inProgress',
      leaseUntil: 0,
      attempt: 0,
      ...indexed(token.pk, 'inProgress', now),
      ...Object.fromEntries(
        [...answers].map(([name, answer]) => [CALL_PREFIX + name, ANSWERED + encodeValue(answer)]),
      ),
    },
    remove: [...RETRY_FIELDS, 'reason', 'error', 'stack', 'actualCompletion', ...stepsOf(notDone)],
  })
}

const KEYS_ARE_NOT_REOPENED =
  'a key has no dead letter and no recorded effects: its whole section would run again. If it was done: lineclear tokens ' +
  'resolve; if it was not done: lineclear tokens release'
const ANSWERED = 'done:'
