import type { Claim, Protocol } from '../batch/protocol.ts'
import type { OpenContext } from '../effect/openContext.ts'
import type { CarriedFlow } from '../envelope/envelope.ts'
import { hasCode, messageOf } from '../errors.ts'
import { type Delivered, refuse, runOf, type Step } from './delivered.ts'
import { answerOf, externalIdOf } from './externalId.ts'
import { fanOut } from './fanOut.ts'
import type { Flow } from './flow.ts'
import { nobody } from './nobody.ts'
import type { Place } from './place.ts'
import type { StageHold } from './stageHold.ts'
import { aboutOf, late, receipt } from './receipt.ts'
import { claimPlace } from './stageProtocol.ts'
import { stageStore } from './stageStore.ts'
import { type Taken, takeAnswer, takeTimeout } from './takeAnswer.ts'
import { isTimeoutBody } from './timeout.ts'
import { findWaiting, preferRunning, readWaiting, type Waiting } from './waiting.ts'

/** Answers for one awaited step, and the flow's own reminders that none has come. */
export function completeProtocol(step: Step): Protocol {
  return {
    lineOf: ({ message }) => message.uniqueRequestId,
    claim: async (works, invocation) => {
      const store = stageStore(invocation.consumer.store)
      return Promise.all(works.map((work) => claimOne({ ...step, work, invocation, store })))
    },
  }
}

async function claimOne(delivered: Delivered): Promise<Claim> {
  const { message } = delivered.work
  try {
    if (message.kind === 'unread') throw message.error
    if (message.kind === 'refused') return refuse(delivered, message.refusal)
    return message.envelope.carried.flow?.timeout === true && isTimeoutBody(message.payload)
      ? await claimTimeout(delivered)
      : await claimAnswer(delivered, message.payload)
  } catch (error) {
    if (hasCode(error, 'REJECTED')) {
      return refuse(delivered, { reason: 'rejected', error: messageOf(error) })
    }
    return { kind: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
}

async function claimTimeout(delivered: Delivered): Promise<Claim> {
  const { store, work, invocation, runs } = delivered
  const { flow: run } = work.message.envelope.carried
  if (run === undefined) throw new Error('a timeout carries its run')
  const waiting = await waitingOf(delivered, run, undefined)
  if (waiting === undefined) {
    return { kind: 'over', as: 'stale', about: { uniquerequestid: run.id, key: run.key } }
  }
  const taken = await takeTimeout(store, waiting, invocation.consumer.clock.now())
  if (taken.kind !== 'goesOn') return receipt(delivered, taken, aboutOf(waiting))
  return goOn(delivered, taken, (_payload, opened, hold) => runs.timedOut(opened, hold))
}

async function claimAnswer(delivered: Delivered, payload: unknown): Promise<Claim> {
  const { flow, name, store, work } = delivered
  const externalId = externalIdOf(flow, name, payload)
  const { flow: run } = work.message.envelope.carried
  const found =
    run === undefined
      ? await preferRunning(flow, store, await findWaiting(flow, name, externalId, store))
      : [await waitingOf(delivered, run, externalId)]
  const [first, ...others] = found.filter((each) => each !== undefined)
  if (first === undefined) return nobody(delivered, externalId)
  return others.length === 0
    ? take(delivered, first, payload, externalId)
    : fanOut(delivered, [first, ...others])
}

async function waitingOf(
  { flow, name, store }: Delivered,
  run: CarriedFlow,
  externalId: string | undefined,
): Promise<Waiting | undefined> {
  return readWaiting(flow, name, { key: run.key, uniqueRequestId: run.id }, externalId, store)
}

async function take(
  delivered: Delivered,
  waiting: Waiting,
  payload: unknown,
  externalId: string,
): Promise<Claim> {
  const { flow, store, work, invocation, runs } = delivered
  const keepUntil = invocation.consumer.clock.now() + flow.retention
  const taken = await takeAnswer(store, waiting, answerOf(work, externalId, keepUntil))
  if (taken.kind !== 'goesOn') {
    return receipt(delivered, taken, { ...aboutOf(waiting), externalId })
  }
  const answered = { payload, externalId, waiting: taken.waiting, store }
  return goOn(delivered, taken, (_payload, opened, hold) => runs.answered(answered, opened, hold))
}

/** The step's handler is a stage of the run that waits: claimed, fenced and counted like any other. */
async function goOn(
  delivered: Delivered,
  { waiting, by }: Extract<Taken, { kind: 'goesOn' }>,
  run: (payload: unknown, opened: OpenContext, hold: StageHold) => unknown,
): Promise<Claim> {
  const { flow, name, work, invocation, store } = delivered
  const claim = await claimPlace(
    { flow, stage: name, work, invocation, store, run },
    placeOf(flow, waiting),
  )
  if (claim.kind !== 'over' || claim.as === 'duplicate') return claim
  // A copy was taken before, and whether it was used nobody can tell any more.
  return by === 'this'
    ? late(delivered, { ...claim, as: 'superseded' })
    : { ...claim, as: 'duplicate' }
}

function placeOf(flow: Flow, waiting: Waiting): Place {
  const { key, uniqueRequestId, sentAt } = waiting
  return { key, uniqueRequestId, sentAt, run: runOf(flow, waiting) }
}
