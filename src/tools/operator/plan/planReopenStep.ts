import {
  answered,
  ANSWER_PREFIX,
  stepIdOf,
  stepNameIn,
  TIMEOUT,
  WAITING,
} from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { deadRunKey } from '../../../library/protocol/claim/stage/deadRun.ts'
import {
  GIVEN_UP,
  isGivenUp,
  writeEntry,
} from '../../../library/protocol/claim/stage/stageEntry.ts'
import { sameFence, sameRun, STAGE } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { endOf } from '../../../library/protocol/claim/stage/requestHistory.ts'
import { requestIn, versionOf } from '../../../library/protocol/claim/stage/version.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../../library/protocol/claim/statusIndex.ts'
import { isoTime } from '../../../library/base/time.ts'
import type { Comparable, Condition, Item, Update } from '../../../library/protocol/store/store.ts'
import { formatDuration } from '../text/humanTime.ts'
import { handlerOf, headOf, type LoadedStep, stepEffects } from './loadedStep.ts'
import { liveRunOf } from '../explain/stageState.ts'
import { type ChangePlan, is, noChange, planned } from './applyPlan.ts'
import { TIMEOUT_SENT } from './planAwaits.ts'

interface ReopenStepOptions {
  /** The external id whose answer is taken back. Default: the only one that is answered. */
  readonly externalId?: string | undefined
  /** Effects and results of the handler that stay, and are not made again with another answer. */
  readonly keep: readonly string[]
  /** How long the step waits from now on, at least. Milliseconds. */
  readonly wait: number
  readonly siblings: readonly Item[]
}

/**
 * Lets a step wait again whose answer was taken, so that another answer can be given. Sound only while the handler of that answer
 * can neither run nor have ended: it is dead, or has not begun.
 */
export function planReopenStep(
  step: LoadedStep,
  options: ReopenStepOptions,
  now: number,
): ChangePlan {
  const about = headOf('decide again', step, now)
  const impossible = (because: string): ChangePlan => noChange('impossible', about, because)
  const { awaiting } = step
  const isTimeout = awaiting.joinedBy === TIMEOUT
  const taken = [...awaiting.steps].flatMap(([id, hash]) => (hash === undefined ? [] : [id]))
  if (taken.length === 0 && !isTimeout) return noChange('nothing', about, 'it waits already')
  const chosen = chooseAnswer(step, taken, options.externalId)
  if ('because' in chosen) return impossible(chosen.because)
  const { stepId } = chosen
  const isJoined = awaiting.joinedBy !== undefined
  if (!isJoined && liveRunOf(step) === undefined) return impossible('the run that waited is over')
  const because = isJoined ? unsound(step, options) : undefined
  if (because !== undefined) return impossible(because)
  const fences = isJoined ? fencesOf(step) : []
  const until = Math.max(awaiting.until, Math.ceil(now + options.wait))
  // No time of day that moves: the plan is compared with the one that was shown.
  const waits =
    until === awaiting.until
      ? `until ${isoTime(until)}`
      : `for ${formatDuration(options.wait)} from then on`
  const updates = [...fences, reopenStep(step, stepId, until)]
  return planned(
    about,
    [
      stepId === undefined
        ? `the step waits again, ${waits}`
        : `the answer that was taken is given up, and the step waits again, ${waits}`,
      'the next answer is accepted, by queue, by call or by lineclear decide FLOW/KEY answer, and runs the handler from its beginning',
      ...options.keep.map((name) => `'${name}' stays as it is, and is not made again`),
      ...(fences.length === 0
        ? []
        : ['what an attempt of the handler has sent before it was killed stays sent']),
    ],
    { kind: 'updates', updates },
  )
}

function chooseAnswer(
  { awaiting }: LoadedStep,
  taken: readonly string[],
  externalId: string | undefined,
): { readonly stepId: string | undefined } | { readonly because: string } {
  if (externalId !== undefined) {
    const id = stepIdOf(stepNameIn(awaiting.key), externalId, awaiting.uniqueRequestId)
    return taken.includes(id)
      ? { stepId: id }
      : { because: 'no answer was taken for this external id' }
  }
  if (awaiting.joinedBy === TIMEOUT) return { stepId: undefined }
  return taken.length > 1
    ? { because: 'several answers were taken: name the one to take back by --external-id' }
    : { stepId: taken[0] }
}

/** @returns why the step cannot be reopened, and what to do instead */
function unsound(step: LoadedStep, options: ReopenStepOptions): string | undefined {
  const run = liveRunOf(step)
  const over = run === undefined ? neverAgain(step) : undefined
  return over ?? unsoundHandler(step, options)
}

/** @returns why a run that has no key can never continue */
function neverAgain({ deadRun, record, item, awaiting }: LoadedStep): string | undefined {
  const { uniqueRequestId } = awaiting
  const { newest, process = 'newest' } = record ?? {}
  const isNewest = newest === undefined || requestIn(newest) === uniqueRequestId
  const version = versionOf(Number(item['sentAt']), uniqueRequestId)
  if (process === 'newest' && !isNewest && version < newest)
    return 'a newer request of the key has started since, and this run can never continue'
  // While another request has the key of a `newest` flow, the record does not show how this one ended.
  const end = record && endOf(record, { uniqueRequestId, process }, undefined)
  if (end === 'dead' && deadRun?.dropped === 'no') return undefined
  return 'its run is over, and is not dead: if what followed was wrong, send the request again under another id'
}

function unsoundHandler(
  step: LoadedStep,
  { keep, siblings }: ReopenStepOptions,
): string | undefined {
  const run = liveRunOf(step)
  const handler = handlerOf(step)
  switch (handler?.status) {
    case 'settled':
      return 'its handler has completed with that answer, and what it sent has been sent: lineclear decide FLOW/KEY free, and send the request again; or correct what follows'
    case 'open':
    case 'retry':
    case 'dying':
      return 'its handler is at work with that answer, or will be tried again: reopen the step when it is dead, or lineclear decide FLOW/KEY free'
    case undefined:
      return run === undefined
        ? 'the run died before its handler began: redrive its dead letter'
        : undefined
    case 'dead': {
      // It may be claiming the handler at this moment, and no fence could distinguish it from the next answer.
      if (isGivenUp(handler) && step.awaiting.reopened)
        return 'an answer was taken since the step was reopened, and its message begins the handler. If the message is lost: lineclear decide FLOW/KEY free'
      const made = stepEffects(step, siblings).filter((name) => !keep.includes(name))
      if (made.length === 0) return undefined
      return (
        `its handler has made ${made.join(', ')} with that answer, and would not make them again with another one. If the answer was ` +
        `right: redrive the dead letter. If what was made is right for the new answer, too: ` +
        made.map((name) => `--keep ${name}`).join(' ')
      )
    }
  }
}

/**
 * Written before the step: a message or a dead letter with the answer that is given up can no longer begin the handler, even if its
 * consumer has looked at the step before.
 */
function fencesOf(step: LoadedStep): readonly Update[] {
  const { record, deadRun, awaiting } = step
  const handler = handlerOf(step)
  if (record === undefined) return []
  const field = STAGE + stepNameIn(awaiting.key)
  const set = { [field]: writeEntry(GIVEN_UP) }
  const unchanged = handler === undefined ? { absent: field } : is(field, writeEntry(handler))
  const run = liveRunOf(step)
  const again = awaiting.reopened ? [unmark(step)] : []
  if (run !== undefined) {
    const where = [...sameRun(record, run), sameFence(record), unchanged]
    return [...again, { key: record.key, where, set }]
  }
  if (deadRun === undefined) return []
  const where: Condition[] = [is('epoch', deadRun.epoch), is('fence', deadRun.fence), unchanged]
  // Its answer or its timeout continues it, and the step is listed: no operator has to decide any more. If it dies again, it is
  // listed again.
  const key = deadRunKey(record.key, awaiting.uniqueRequestId)
  const kept = { key, where, set, remove: INDEX_ATTRIBUTES }
  return [...again, kept, ...raiseEpoch(step)]
}

/**
 * A redrive may have read the dead run before it was changed. At another epoch of the record it reads it again. While another
 * request has the key no redrive can reopen the run, and its end raises the epoch.
 */
function raiseEpoch({ record }: LoadedStep): readonly Update[] {
  if (record === undefined || record.run !== undefined) return []
  const { key, epoch, fence } = record
  const where: Condition[] = [is('epoch', epoch), is('fence', fence), { absent: 'uniquerequestid' }]
  return [{ key, where, set: { epoch: epoch + 1, fence: fence + 1 } }]
}

/** Only an answer that is taken after the step is written may revive the handler. */
function unmark({ awaiting }: LoadedStep): Update {
  const { key, joinedBy = '', count } = awaiting
  const where: Condition[] = [is('reopened', true), is('joinedBy', joinedBy), is('count', count)]
  return { key, where, remove: ['reopened'] }
}

function reopenStep(step: LoadedStep, stepId: string | undefined, until: number): Update {
  const { awaiting } = step
  const { key, epoch, count, joinedBy, steps } = awaiting
  const where: Condition[] = [
    is('epoch', epoch),
    is('count', count),
    is('until', awaiting.until),
    joinedBy === undefined ? { absent: 'joinedBy' } : is('joinedBy', joinedBy),
  ]
  const set: Record<string, Comparable> = {
    until,
    expectedCompletion: isoTime(until),
    ...indexed(key.pk, 'awaiting', until),
    ...(joinedBy !== undefined && { reopened: true }),
  }
  if (stepId !== undefined) {
    const field = ANSWER_PREFIX + stepId
    where.push(is(field, answered(steps.get(stepId) ?? '')))
    Object.assign(set, { [field]: WAITING, count: count - 1 })
  }
  return { key, where, set, remove: ['joinedBy', 'used', 'rejected', TIMEOUT_SENT] }
}
