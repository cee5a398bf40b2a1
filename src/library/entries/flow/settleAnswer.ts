import type { Claim } from '../../run/deliver/claimStrategy.ts'
import { asMessageOfRun } from '../../run/deliver/readRecord.ts'
import { loadUncommon } from '../../run/deliver/lazy.ts'
import { stableId } from '../../base/ids.ts'
import type { LogFields } from '../../base/logger.ts'
import { type AnswerDelivery, refuse, runOf } from './answerDelivery.ts'
import type { StoredAnswer, AnswerEffect } from '../../protocol/claim/awaiting/takeAnswer.ts'
import { isRunning, type WaitingRun } from '../../protocol/claim/awaiting/waitingRuns.ts'

/** An answer and the run it is for. `answer` undefined: the reminder that no answer has arrived. */
interface AnswerOrReminder {
  readonly waiting: WaitingRun
  readonly answer?: StoredAnswer
}

/** Settles an answer or a timeout that does not complete its step. */
export async function settleAnswer(
  delivered: AnswerDelivery,
  taken: Exclude<AnswerEffect, { kind: 'stepComplete' }>,
  came: AnswerOrReminder,
): Promise<Claim> {
  const now = delivered.invocation.consumer.clock.now()
  const about = aboutOf(came)
  if (taken.kind === 'early') return { kind: 'early', until: Math.max(taken.until, now), about }
  switch (taken.receipt) {
    case 'accepted':
      return { kind: 'accepted', as: 'an accepted answer; the step waits for more', about }
    case 'duplicate':
      return { kind: 'over', as: 'duplicate', about }
    case 'late':
      return settleLateAnswer(delivered, { kind: 'over', as: 'late', about }, came)
    case 'conflict':
      return refuse({
        reason: 'conflict',
        error:
          'another answer was accepted for this id before; this one was neither used nor dropped',
      })
    case 'unknown':
      return unknown(delivered, came, about)
  }
}

/** The answer names a run and an id that this run does not wait for. */
async function unknown(
  { flow, store, name }: AnswerDelivery,
  { waiting }: AnswerOrReminder,
  about: LogFields,
): Promise<Claim> {
  if (!(await isRunning(flow, store, waiting))) return { kind: 'over', as: 'stale', about }
  return refuse({
    reason: 'unknown step',
    error: `the run that it names waits as '${name}' in flow '${flow.name}', and not for this id; the answer was not used`,
  })
}

/** The waiting run, for the log: an answer from outside does not name it. */
function aboutOf({ waiting, answer }: AnswerOrReminder): LogFields {
  const { uniqueRequestId: uniquerequestid, key } = waiting
  return { uniquerequestid, key, ...(answer && { externalId: answer.externalId }) }
}

/** Runs onLate for the answer. A late timeout is dropped. */
export async function settleLateAnswer(
  { flow, work, invocation, runs, ahead }: AnswerDelivery,
  drop: Claim,
  { waiting, answer }: AnswerOrReminder,
): Promise<Claim> {
  if (runs.late === undefined || answer === undefined) return drop
  const { tokenStrategy } = await loadUncommon()
  const run = { ...runOf(flow, waiting), late: true } as const
  const { record, message } = asMessageOfRun(work, run, undefined)
  // From its content, not from its message, so that onLate runs once for all copies of an answer.
  const uniqueRequestId = stableId('late', waiting.stepId, answer.hash)
  const late = { record, message: { ...message, uniqueRequestId } }
  const { clock, retention } = invocation.consumer
  const { ttl = 0 } = waiting.awaiting
  // @protects a late answer is remembered for as long as its step
  // @without retention @tests test/proof/lifetimes
  const keepFor = Math.max(retention, ttl * 1_000 - clock.now())
  // @protects a late answer has one token under all names of its step
  // @without invocation.consumer @tests test/proof/lifetimes
  const own = { ...invocation.consumer, name: `${flow.name}.${waiting.name}` }
  const consumer = { ...own, retention: keepFor }
  const [claim] = await tokenStrategy(runs.late).claim([late], { ...invocation, consumer }, ahead)
  return claim === undefined ? drop : { ...claim, flow: run }
}
