import { type Awaiting, readAwaiting, stepIdOf } from '../../../claim/awaiting/awaiting.ts'
import { decideAnswer, type Receipt } from '../../../claim/awaiting/decideAnswer.ts'
import { storedAnswer, storedAnswerItem } from '../../../claim/awaiting/takeAnswer.ts'
import { stepAddress, stepMessage, timeoutReminder } from '../../../claim/awaiting/stepMessage.ts'
import { stableId } from '../../../ids.ts'
import { isoTime } from '../../../isoTime.ts'
import { type StageRecord } from '../../../claim/stage/stageRecord.ts'
import { indexed } from '../../../claim/statusIndex.ts'
import type { Condition, Item } from '../../../store/store.ts'
import { displayId } from '../../address.ts'
import { describeAwaiting } from '../explain/describeFlow.ts'
import { type OperatorAction, noChange, type ChangePlan } from './plan.ts'
import { stepName } from '../item/task.ts'

/** An awaited step as it was read, and the record of its run. */
interface LoadedStep {
  readonly awaiting: Awaiting
  readonly item: Item
  readonly record: StageRecord | undefined
}

export function loadedStep(item: Item, record: StageRecord | undefined): LoadedStep | undefined {
  const awaiting = readAwaiting(item)
  return awaiting === undefined ? undefined : { awaiting, item, record }
}

const THIRTY_DAYS = 30 * 86_400_000

/**
 * Answers for the outside system: the message goes to the step's queue, and the step counts it.
 * @param payload a JSON value that holds the external id
 * @param externalId if the payload does not contain it
 */
export function planComplete(
  step: LoadedStep,
  payload: unknown,
  externalId: string | undefined,
  now: number,
): ChangePlan & { readonly receipt?: Receipt } {
  const about = headOf('awaits complete', step, now)
  const { awaiting } = step
  const over = runIsOver(step)
  if (over) return { ...noChange('impossible', about, over), receipt: 'superseded' }
  const to = stepAddress(awaiting, step.item)
  if (to === undefined) return noChange('impossible', about, NO_QUEUE)
  const found = findExternalId(awaiting, to.name, payload, externalId)
  if (found === undefined)
    return { ...noChange('impossible', about, UNMATCHED), receipt: 'unknown' }
  const body = JSON.stringify(payload)
  const answer = storedAnswer(body, found, now + THIRTY_DAYS)
  const stepId = stepIdOf(to.name, found, awaiting.uniqueRequestId)
  const decision = decideAnswer(awaiting, { stepId, hash: answer.hash })
  if (decision.kind === 'continue') {
    return {
      ...noChange('nothing', about, 'this answer was accepted before'),
      receipt: 'duplicate',
    }
  }
  if (decision.kind === 'over') {
    const kind = decision.receipt === 'duplicate' ? 'nothing' : 'impossible'
    return { ...noChange(kind, about, RECEIPT_TEXTS[decision.receipt]), receipt: decision.receipt }
  }
  const id = stableId(to.flow, to.name, found, body)
  return {
    kind: 'change',
    ...about,
    receipt: 'accepted',
    changes: [
      `the answer ${body} is sent to ${to.queueUrl}`,
      decision.fills
        ? 'the step is complete: its flow continues'
        : `the step counts it, and waits for ${awaiting.need - awaiting.count - 1} more`,
    ],
    liveLease: undefined,
    effect: {
      kind: 'send',
      mark: { key: awaiting.key, where: decision.update.where },
      queueUrl: to.queueUrl,
      message: stepMessage(awaiting, to, { uniqueRequestId: id, body, now }),
      // Stored before the step counts it, because the answer that completes the join reads all the others.
      keep: awaiting.steps.size > 1 ? storedAnswerItem(awaiting, stepId, answer) : undefined,
      afterwards: decision.update,
    },
  }
}

const NO_QUEUE =
  'the step has no queue (awaits.<step>.queueUrl), so the answer cannot be sent from here: send the message to its queue yourself'
const UNMATCHED =
  'no step waits for this answer: the payload holds none of the external ids. Check the payload, or give the id by --id'
const RECEIPT_TEXTS = {
  duplicate: 'this answer was accepted before (receipt: duplicate)',
  conflict: 'another answer was accepted before (receipt: conflict)',
  late: 'the step is complete, or has timed out (receipt: late)',
  unknown: UNMATCHED,
} as const

/** Ends the wait as if it had timed out: the handler's `onTimeout` continues the flow. */
export function planFail(step: LoadedStep, now: number): ChangePlan {
  const about = headOf('awaits fail', step, now)
  const { awaiting, item } = step
  const over = runIsOver(step)
  if (over) return noChange('impossible', about, over)
  if (awaiting.joinedBy === 'timeout') return noChange('nothing', about, 'it has timed out already')
  if (awaiting.joinedBy !== undefined) return noChange('impossible', about, RECEIPT_TEXTS.late)
  if (item[TIMEOUT_SENT] !== undefined && awaiting.until <= now) {
    return noChange(
      'nothing',
      about,
      'its wait was ended before, and its queue has accepted the message',
    )
  }
  const reminder = timeoutReminder(awaiting, item, now)
  if (reminder === undefined) return noChange('impossible', about, NO_QUEUE)
  const until = Math.min(awaiting.until, now)
  const where: Condition[] = [
    { absent: 'joinedBy' },
    { field: 'until', is: '=', value: awaiting.until },
    { field: 'count', is: '=', value: awaiting.count },
    { field: 'epoch', is: '=', value: awaiting.epoch },
  ]
  return {
    kind: 'change',
    ...about,
    changes: [
      'the step stops waiting now: its flow continues with onTimeout',
      'a later answer gets the receipt late',
    ],
    liveLease: undefined,
    effect: {
      kind: 'send',
      mark: {
        key: awaiting.key,
        where,
        set: { until, ...indexed(awaiting.key.pk, 'awaiting', until) },
        remove: [TIMEOUT_SENT],
      },
      queueUrl: reminder.queueUrl,
      message: reminder.message,
      keep: undefined,
      afterwards: {
        key: awaiting.key,
        where: [{ field: 'until', is: '=', value: until }],
        set: { [TIMEOUT_SENT]: isoTime(now) },
      },
    },
  }
}

/** When the queue accepted the timeout message. Until it has, the same command sends the message again. */
const TIMEOUT_SENT = 'timeoutSent'

function headOf(
  action: OperatorAction,
  { awaiting }: LoadedStep,
  now: number,
): { readonly action: OperatorAction; readonly id: string; readonly standing: readonly string[] } {
  const { pk, sk } = awaiting.key
  const whose = `step ${stepName(sk)} of ${awaiting.uniqueRequestId}`
  return { action, id: displayId(pk), standing: [whose, ...describeAwaiting(awaiting, now)] }
}

function runIsOver({ awaiting, record }: LoadedStep): string | undefined {
  const waits =
    record?.run?.uniqueRequestId === awaiting.uniqueRequestId && record.epoch === awaiting.epoch
  return waits ? undefined : 'the run that waited is over (receipt: superseded)'
}

/** Finds the external id in the payload. The table has only a hash of it, and in most payloads one of the texts matches. */
function findExternalId(
  { steps, uniqueRequestId }: Awaiting,
  name: string,
  payload: unknown,
  given: string | undefined,
): string | undefined {
  const texts = given === undefined ? textsIn(payload) : [given]
  return texts.find((text) => steps.has(stepIdOf(name, text, uniqueRequestId)))
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
