import { hasNoAnswer } from '../../protocol/store/store.ts'
import { markUsed } from '../../protocol/claim/awaiting/awaiting.ts'
import { noteOfRefusal } from '../../protocol/claim/awaiting/decideAnswer.ts'
import type { Death } from '../../protocol/claim/hold.ts'
import type { Claim, ClaimStrategy } from '../../run/deliver/claimStrategy.ts'
import type { OpenContext } from '../../run/context/openContext.ts'
import type { RunReference } from '../../protocol/record/envelope/envelope.ts'
import { hasCode, messageOf, RetryableError, toError } from '../../base/errors.ts'
import {
  type AnswerDelivery,
  refuse,
  runOf,
  type AwaitedStep,
  sendToEachRun,
  unmatchedAnswer,
} from './answerDelivery.ts'
import { externalIdOf } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { MessagePosition } from './messagePosition.ts'
import type { StageHold } from '../../protocol/claim/stage/stageHold.ts'
import { settleLateAnswer, settleAnswer } from './settleAnswer.ts'
import { claimPosition } from './stageStrategy.ts'
import { type ItemStore, itemStore } from '../../protocol/claim/itemStore.ts'
import {
  type StepComplete,
  takeAnswer,
  takeTimeout,
  storedAnswer,
} from '../../protocol/claim/awaiting/takeAnswer.ts'
import { isTimeoutBody } from '../../protocol/claim/awaiting/stepMessage.ts'
import {
  findWaitingRuns,
  preferRunning,
  readWaitingRun,
  type WaitingRun,
  findWaitingRun,
} from '../../protocol/claim/awaiting/waitingRuns.ts'

/** Handles the answers for one awaited step, and the flow's own reminders that no answer has arrived. */
export function answerStrategy(step: AwaitedStep): ClaimStrategy {
  return {
    serializationKey: ({ message }) => message.uniqueRequestId,
    claim: async (works, invocation, ahead) => {
      const store = itemStore(invocation.consumer.store)
      const parts = { ...step, invocation, store, ahead }
      return Promise.all(works.map((work) => claimOne({ ...parts, work })))
    },
  }
}

async function claimOne(delivered: AnswerDelivery): Promise<Claim> {
  try {
    const claim = await judge(delivered).catch(refusalOf)
    // The dead letter does not depend on the note.
    if (claim.kind === 'refuse') await noteRefusal(delivered, claim.refusal).catch(() => {})
    return claim
  } catch (error) {
    return { kind: 'failed', error: toError(error) }
  }
}

async function judge(delivered: AnswerDelivery): Promise<Claim> {
  const { message } = delivered.work
  if (message.kind === 'unread') throw message.error
  if (message.kind === 'refused') return refuse(message.refusal)
  return message.envelope.carried.flow?.timeout === true && isTimeoutBody(message.payload)
    ? claimTimeout(delivered)
    : claimAnswer(delivered, message.payload)
}

function refusalOf(error: unknown): Claim {
  if (hasCode(error, 'REJECTED')) return refuse({ reason: 'rejected', error: messageOf(error) })
  if (hasCode(error, 'TERMINAL')) return refuse({ reason: 'terminal', error: messageOf(error) })
  throw error
}

/**
 * An answer that names its run was sent by an operator, who waits for what becomes of it. Noted before the dead letter is sent: a
 * kill between the two brings the answer back.
 */
async function noteRefusal(delivered: AnswerDelivery, { reason, error }: Death): Promise<void> {
  const { message } = delivered.work
  const { flow: run } = message.envelope.carried
  if (run === undefined || run.timeout === true) return
  const waiting = await waitingOf(delivered, run, undefined)
  if (waiting === undefined) return
  await delivered.store.update(
    noteOfRefusal(waiting.awaiting, message.uniqueRequestId, `${reason}: ${error}`),
  )
}

async function claimTimeout(delivered: AnswerDelivery): Promise<Claim> {
  const { store, work, invocation, runs } = delivered
  const { flow: run } = work.message.envelope.carried
  if (run === undefined) throw new Error('a timeout carries its run')
  const waiting = await waitingOf(delivered, run, undefined)
  if (waiting === undefined) return withoutStep(delivered, run)
  const taken = await takeTimeout(store, waiting, invocation.consumer.clock.now())
  if (taken.kind !== 'stepComplete') {
    return { asked: waiting.asked, ...(await settleAnswer(delivered, taken, { waiting })) }
  }
  const claim = await claimNextStage(delivered, taken.waiting, (_payload, opened, hold) =>
    runs.timedOut(opened, hold),
  )
  return isTooLate(claim)
    ? { ...claim, as: taken.by === 'this' ? 'superseded' : 'duplicate' }
    : claim
}

/**
 * The item of the step is missing. If the run still waits, no answer can reach it any longer: the run has to end, and an operator
 * has to know.
 */
function withoutStep(delivered: AnswerDelivery, run: RunReference): Promise<Claim> {
  const { flow, name, work, invocation, store, ahead } = delivered
  const refusal = {
    reason: 'lost step',
    error:
      `what run ${run.id} waits for as '${name}' is gone from the table: restored from a backup, or deleted by hand; ` +
      `its time is over, and onTimeout was not run`,
  }
  const position = { key: run.key, uniqueRequestId: run.id, sentAt: run.sentAt, run, refusal }
  return claimPosition(
    { flow, stage: name, work, invocation, store, ahead, run: () => {} },
    position,
  )
}

async function claimAnswer(delivered: AnswerDelivery, payload: unknown): Promise<Claim> {
  const { flow, name, store, work } = delivered
  const externalId = externalIdOf(flow, name, payload)
  const { flow: run } = work.message.envelope.carried
  const found =
    run === undefined
      ? await preferRunning(flow, store, await findWaitingRuns(flow, name, externalId, store))
      : [await waitingOf(delivered, run, externalId)]
  const [first, ...others] = found.filter((each) => each !== undefined)
  if (first === undefined) return unmatchedAnswer(delivered, externalId)
  if (run?.late === true) {
    const answer = storedAnswer(work.message.envelope.body, externalId)
    return settleLateAnswer(delivered, { kind: 'over', as: 'late' }, { waiting: first, answer })
  }
  // @protects an answer to several runs reaches each of them
  // @without its then
  return others.length === 0
    ? take(delivered, first, payload, externalId)
    : sendToEachRun(delivered, [first, ...others])
}

async function waitingOf(
  { flow, name, store }: AnswerDelivery,
  run: RunReference,
  externalId: string | undefined,
): Promise<WaitingRun | undefined> {
  return findWaitingRun(flow, name, { key: run.key, uniqueRequestId: run.id }, externalId, store)
}

async function take(
  delivered: AnswerDelivery,
  waiting: WaitingRun,
  payload: unknown,
  externalId: string,
): Promise<Claim> {
  const { flow, store, work, runs } = delivered
  const answer = storedAnswer(work.message.envelope.body, externalId)
  const taken = await takeAnswer(store, waiting, answer)
  if (taken.kind !== 'stepComplete') {
    return { asked: waiting.asked, ...(await settleAnswer(delivered, taken, { waiting, answer })) }
  }
  const answered = { payload, externalId, waiting: taken.waiting, store }
  const claim = await claimNextStage(delivered, taken.waiting, async (_payload, opened, hold) => {
    if (runs.late !== undefined) await recordUse(store, taken.waiting)
    return runs.answered(answered, opened, hold)
  })
  // Bound to this run. Without this, a retry would be handed to every run that waits for the id by then, and would look like the
  // first copy to this run.
  const mine = { flow: runOf(flow, taken.waiting) }
  // What nothing remembers of its run may be that the answer was used.
  const isForgotten = claim.kind === 'refuse' && claim.refusal.reason === 'too old'
  if (!isTooLate(claim) && !isForgotten) return { ...claim, ...mine }
  const drop: Claim = isTooLate(claim) ? { ...claim, as: 'superseded' } : { ...claim, ...mine }
  if (!(await wasUsed(delivered, taken, externalId))) {
    return settleLateAnswer(delivered, drop, { waiting, answer })
  }
  return isTooLate(claim) ? { ...claim, as: 'duplicate' } : drop
}

async function recordUse(store: ItemStore, { awaiting }: WaitingRun): Promise<void> {
  if (awaiting.used) return
  const outcome = await store.update(markUsed(awaiting))
  if (hasNoAnswer(outcome)) throw outcome.error
}

/**
 * Reads whether the answer was used, after the run has ended: an attempt that tried to record a use later is fenced, and does not
 * run.
 */
async function wasUsed(
  { flow, store, runs }: AnswerDelivery,
  { waiting, by }: StepComplete,
  externalId: string,
): Promise<boolean> {
  // Without onLate the flow does not record whether an answer was used.
  if (runs.late === undefined) return by === 'a copy'
  const now = await readWaitingRun(flow, waiting.name, waiting, externalId, store)
  // @protects an answer of which nothing says whether it was used is not dropped
  // @without now?.awaiting.used !== false @tests test/proof/lifetimes
  return usedIn(now)
}

/** @throws RetryableError when the step has just been removed from the table: SQS delivers the answer again, and it finds no step */
function usedIn(waiting: WaitingRun | undefined): boolean {
  if (waiting === undefined) throw new RetryableError('the step of the answer is gone')
  return waiting.awaiting.used
}

/** The step's handler is a stage of the waiting run: it is claimed, fenced and counted like any other stage. */
async function claimNextStage(
  { flow, name, work, invocation, store, ahead }: AnswerDelivery,
  waiting: WaitingRun,
  run: (payload: unknown, opened: OpenContext, hold: StageHold) => unknown,
): Promise<Claim> {
  const position = placeOf(flow, waiting)
  const parts = { flow, stage: name, work, invocation, store, ahead, run }
  const { asked, tenant } = waiting
  return { asked, tenant, ...(await claimPosition(parts, position)) }
}

/** The run was replaced, was reset or ended before it continued from this step. */
function isTooLate(claim: Claim): claim is Extract<Claim, { kind: 'over' }> {
  return claim.kind === 'over' && claim.as !== 'duplicate'
}

function placeOf(flow: FlowDefinition, waiting: WaitingRun): MessagePosition {
  const { key, uniqueRequestId, sentAt, begunAt, awaiting } = waiting
  const { reopened } = awaiting
  return { key, uniqueRequestId, sentAt, begunAt, run: runOf(flow, waiting), reopened }
}
