import type { Update, Item } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { answered, type Awaiting, ANSWER_PREFIX, TIMEOUT, WAITING } from './awaiting.ts'

/**
 * How an answer was received. `accepted`: it is the answer, or one of the answers of a join. `duplicate`: the same answer was
 * accepted before. `conflict`: a different answer was accepted before. `late`: the join has all answers that it needs, or the
 * step has timed out. `superseded`: the run was replaced, was reset or has ended. `unknown`: no run waits for the id (yet).
 */
export type Receipt = 'accepted' | 'duplicate' | 'conflict' | 'late' | 'superseded' | 'unknown'

export type AnswerDecision =
  /** Make this write. `fills`: it counts the last answer that was needed, so the run continues. If it is refused, decide again. */
  | { readonly kind: 'accept'; readonly update: Update; readonly fills: boolean }
  /** The answer was counted before, and the run may or may not have continued. Claim the next stage: the stage record knows. */
  | { readonly kind: 'continue' }
  | {
      readonly kind: 'over'
      readonly receipt: Extract<Receipt, 'duplicate' | 'conflict' | 'late' | 'unknown'>
    }

/**
 * Decides about an answer for one step. The stored state decides, not the clock: until the timeout is written, an answer is in
 * time.
 */
export function decideAnswer(
  awaiting: Awaiting | undefined,
  answer: { readonly stepId: string; readonly hash: string },
): AnswerDecision {
  if (awaiting?.steps.has(answer.stepId) !== true) return { kind: 'over', receipt: 'unknown' }
  const before = awaiting.steps.get(answer.stepId)
  if (before !== undefined) return decideAgain(awaiting, answer, before)
  // @protects an answer after the join is late
  if (awaiting.joinedBy !== undefined) return { kind: 'over', receipt: 'late' }
  const count = awaiting.count + 1
  const fills = count >= awaiting.need
  const field = ANSWER_PREFIX + answer.stepId
  return {
    kind: 'accept',
    fills,
    update: {
      key: awaiting.key,
      where: [
        // @protects an answer does not replace another one
        { field, is: '=', value: WAITING },
        // @protects two answers at once are both counted
        { field: 'count', is: '=', value: awaiting.count },
        { field: 'need', is: '=', value: awaiting.need },
        { absent: 'joinedBy' },
      ],
      set: { [field]: answered(answer.hash), count, ...(fills ? { joinedBy: answer.stepId } : {}) },
      ...(fills ? { remove: INDEX_ATTRIBUTES } : {}),
    },
  }
}

function decideAgain(
  awaiting: Awaiting,
  answer: { readonly stepId: string; readonly hash: string },
  before: string,
): AnswerDecision {
  // @protects another answer under the same id is a conflict
  if (before !== answer.hash) return { kind: 'over', receipt: 'conflict' }
  if (awaiting.joinedBy === answer.stepId) return { kind: 'continue' }
  return { kind: 'over', receipt: 'duplicate' }
}

/**
 * No run waits for the answer. The answer may have arrived before its step was saved, so the message waits on the queue for the
 * grace time. This way nothing has to be stored for a run that may never wait.
 */
export function decideEarly(
  answer: { readonly sentAt: number; readonly grace: number },
  now: number,
): { readonly kind: 'early'; readonly until: number } | { readonly kind: 'over' } {
  const until = answer.sentAt + answer.grace
  return until > now ? { kind: 'early', until } : { kind: 'over' }
}

type TimeoutDecision =
  | { readonly kind: 'expire'; readonly update: Update }
  | { readonly kind: 'continue' }
  | { readonly kind: 'early'; readonly until: number }
  | { readonly kind: 'over' }

/**
 * Decides about the reminder that arrives when `until` has passed. If `until` was extended in the meantime, the write is refused.
 */
export function decideTimeout(awaiting: Awaiting | undefined, now: number): TimeoutDecision {
  if (awaiting === undefined) return { kind: 'over' }
  if (awaiting.joinedBy === TIMEOUT) return { kind: 'continue' }
  if (awaiting.joinedBy !== undefined) return { kind: 'over' }
  // @protects a step does not time out before its time
  if (awaiting.until > now) return { kind: 'early', until: awaiting.until }
  // @protects a step that is complete, or was given more time, does not time out
  // @without []
  const where = [{ absent: 'joinedBy' }, untilIs(awaiting)]
  const update = { key: awaiting.key, where, set: { joinedBy: TIMEOUT }, remove: INDEX_ATTRIBUTES }
  return { kind: 'expire', update }
}

/**
 * Moves `until`, because the outside system is still at work.
 * @returns undefined when there is nothing to move
 */
export function moveTimeout(awaiting: Awaiting, until: number): Update | undefined {
  if (awaiting.joinedBy !== undefined || until <= awaiting.until) return undefined
  return {
    key: awaiting.key,
    where: [{ absent: 'joinedBy' }, untilIs(awaiting)],
    set: {
      until,
      expectedCompletion: new Date(until).toISOString(),
      ...indexed(awaiting.key.pk, 'awaiting', until),
    },
  }
}

function untilIs({ until }: Awaiting): {
  readonly field: string
  readonly is: '='
  readonly value: number
} {
  return { field: 'until', is: '=', value: until }
}

const FIELD = 'rejected'
/** Characters. The dead letter has the whole text. */
const LONGEST = 600

/** Notes on the step that the message was dead-lettered, and why: the operator who sent it reads it there. The step still waits. */
export function noteOfRefusal(
  { key, uniqueRequestId }: Awaiting,
  messageId: string,
  why: string,
): Update {
  const where = [{ field: 'uniquerequestid', is: '=', value: uniqueRequestId } as const]
  return { key, where, set: { [FIELD]: `${messageId} ${why}`.slice(0, LONGEST).toWellFormed() } }
}

/** @returns why the newest refused answer was refused; undefined: none was, or another message than `messageId` */
export function refusalOfAnswer({ [FIELD]: text }: Item, messageId?: string): string | undefined {
  if (typeof text !== 'string') return undefined
  const at = text.indexOf(' ')
  return messageId === undefined || text.slice(0, at) === messageId ? text.slice(at + 1) : undefined
}
