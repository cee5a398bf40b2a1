import { consumerNameOf } from '../batch/consumerName.ts'
import type { Invocation } from '../batch/invocation.ts'
import type { Claim, ClaimStrategy } from '../batch/claimStrategy.ts'
import type { IncomingRecord } from '../batch/incomingRecord.ts'
import type { OpenContext } from '../context/openContext.ts'
import { latestKnownTime } from '../record/envelope/times.ts'
import { hasCode, messageOf } from '../errors.ts'
import type { Death } from '../claim/hold.ts'
import { bodyOf, isComputed } from '../record/message/samePayload.ts'
import type { LogFields } from '../logger.ts'
import { hasForeignId, type Message } from '../record/message/message.ts'
import type { Request } from '../claim/stage/claimWrite.ts'
import { decideStage } from '../claim/stage/decideStage.ts'
import { decideStart } from '../claim/stage/decideStart.ts'
import type { Delivery } from '../claim/stage/delivery.ts'
import type { Closing } from '../claim/stage/endRun.ts'
import { fingerprintOf, isSamePayload } from '../claim/stage/fingerprint.ts'
import type { Names } from '../claim/stage/nameInRun.ts'
import { type StageRecord, recordKey } from '../claim/stage/stageRecord.ts'
import type { Verdict } from '../claim/stage/verdict.ts'
import type { Claimant, StageClaim } from './stageClaim.ts'
import { claimStage } from './claimStage.ts'
import type { Flow } from './flow.ts'
import { asRefusal, type MessagePosition, positionOf } from './messagePosition.ts'
import { carriedBy, type StageHold, stageHold } from './stageHold.ts'
import { type StageStore, stageStore } from './stageStore.ts'

export type RunStage = (payload: unknown, opened: OpenContext, hold: StageHold) => unknown

/** Messages of one stage: the first one starts runs, later ones go on in the run that sent them. */
export function stageProtocol(flow: Flow, stage: string, run: RunStage): ClaimStrategy {
  return {
    serializationKey: (work) => lineOf(flow, stage, work),
    identifies: ({ message }) => stage === flow.first && isCopyOfRun(message),
    ...(flow.onConflict === 'coalesce' ? { compare: newestFirst(flow, stage) } : {}),
    claim: async (works, invocation, ahead) => {
      const store = stageStore(invocation.consumer.store)
      const parts = { flow, stage, invocation, store, run, ahead }
      return Promise.all(works.map((work) => claimOne({ ...parts, work })))
    },
  }
}

/** Two requests of one key would only get in each other's way. */
function lineOf(flow: Flow, stage: string, work: IncomingRecord): string {
  return placeIfAny(flow, stage, work)?.key ?? work.message.uniqueRequestId
}

/** Where only the newest waits, the others of a batch need not ask one after the other, each on its way to be overtaken. */
function newestFirst(
  flow: Flow,
  stage: string,
): (one: IncomingRecord, other: IncomingRecord) => number {
  const times = new WeakMap<IncomingRecord, number>()
  const timeOf = (work: IncomingRecord): number => {
    const time = times.get(work) ?? placeIfAny(flow, stage, work)?.sentAt ?? work.message.sentAt
    times.set(work, time)
    return time
  }
  return (one, other) => timeOf(other) - timeOf(one)
}

function placeIfAny(
  flow: Flow,
  stage: string,
  { message }: IncomingRecord,
): MessagePosition | undefined {
  try {
    return positionOf(flow, stage, message, message.sentAt)
  } catch {
    return undefined
  }
}

async function claimOne(given: StageWork): Promise<Claim> {
  const { flow, stage, work, invocation } = given
  let place: MessagePosition
  try {
    const now = invocation.consumer.clock.now()
    const { message } = work
    place = positionOf(flow, stage, message, latestKnownTime(now, message.envelope.enqueuedAt))
  } catch (error) {
    return unplaced(work, error)
  }
  return claimPlace(given, place)
}

/** A message that cannot be of this stage is dead-lettered; one that a schema could not judge for now comes back. */
function unplaced({ message }: IncomingRecord, error: unknown): Claim {
  if (hasCode(error, 'REJECTED')) {
    const refusal = message.kind === 'refused' ? message.refusal : asRefusal(error)
    return { kind: 'refuse', refusal }
  }
  return { kind: 'failed', error: error instanceof Error ? error : new Error(messageOf(error)) }
}

export interface StageWork {
  readonly flow: Flow
  readonly stage: string
  readonly work: IncomingRecord
  readonly invocation: Invocation
  readonly store: StageStore
  readonly run: RunStage
  readonly ahead: boolean
}

/** The request that it belongs to, which is not that of the message, and which other one was in its way. */
function aboutOf({ stage }: StageWork, place: MessagePosition, claim: StageClaim): LogFields {
  const { uniqueRequestId: uniquerequestid, key } = place
  const by = 'by' in claim ? claim.by : undefined
  return { uniquerequestid, key, stage, ...(by === undefined ? {} : { by }) }
}

/** Claims the stage for a message whose place in the flow is known. */
export async function claimPlace(given: StageWork, place: MessagePosition): Promise<Claim> {
  const claimant = claimantOf(given, place)
  return toClaim(given, place, claimant, await claimStage(given.store, claimant))
}

function claimantOf(
  { flow, stage, work, invocation, ahead }: StageWork,
  place: MessagePosition,
): Claimant {
  const { consumer, leaseUntil } = invocation
  const { message } = work
  const { retry, death, reason, notBefore = 0 } = message.envelope.carried
  const refusal = place.refusal ?? (message.kind === 'refused' ? message.refusal : undefined)
  const now = consumer.clock.now()
  const isLetter = death !== undefined || reason !== undefined
  const delivery: Delivery & Pick<Request, 'sentAt' | 'order'> = {
    stage,
    uniqueRequestId: place.uniqueRequestId,
    attemptId: invocation.nextAttemptId(),
    leaseUntil: Math.ceil(leaseUntil),
    maxAttempts: consumer.maxAttempts,
    retry,
    death: isLetter ? (death ?? 0) : undefined,
    giveUpAt: Math.ceil((isLetter ? now : message.takenAt) + flow.giveUpAfter),
    refused: refusal !== undefined,
    known: undefined,
    after: place.run?.from,
    seen: place.run?.epoch ?? place.seen ?? 0,
    young: now - message.takenAt < flow.retention,
    fifo: invocation.fifo,
    payload: place.run === undefined ? payloadOf(message) : undefined,
    sentAt: place.sentAt,
    order: flow.order,
  }
  const { run } = place
  return {
    key: recordKey(flow.name, place.key),
    notBefore: retry === 0 ? notBefore : 0,
    request:
      run === undefined
        ? { ...delivery, onConflict: flow.onConflict, by: consumerNameOf(work, invocation) }
        : { ...delivery, epoch: run.epoch },
    names: namesOf(flow, stage),
    ahead,
    decide: (record, request) =>
      place.run === undefined && place.refusal !== undefined && !isOwn(record, request, message)
        ? { kind: 'refuse', because: 'refused' }
        : decide(record, request, consumer.clock.now()),
    sleep: (milliseconds) => consumer.clock.sleep(milliseconds, invocation.signal),
    refusal: refusal ?? NO_REFUSAL,
    closing: closingOf(flow, now),
  }
}

function decide(record: StageRecord | undefined, request: Request, now: number): Verdict {
  return 'epoch' in request ? decideStage(record, request, now) : decideStart(record, request, now)
}

function closingOf(flow: Flow, now: number): Closing {
  return { retention: flow.retention, now }
}

function payloadOf({ payloadHash }: Message<unknown>): string | undefined {
  if (payloadHash === undefined) return undefined
  return fingerprintOf(bodyOf(payloadHash), isComputed(payloadHash))
}

const NO_REFUSAL: Death = { reason: 'rejected', error: 'refused' }

/** A copy of what has begun under its stamp; since then `id(payload)` has been changed, or is new. */
function isCopyOfRun(message: Message<unknown>): boolean {
  const isConflict = message.kind === 'refused' && message.refusal.reason === 'conflict'
  return isConflict && message.envelope.carried.flow?.id === message.uniqueRequestId
}

/**
 * A refused message of the first stage ends its own run, and says nothing of any other. With a stamp that its payload contradicts
 * it has to bring the very payload that the run began with: whoever may send could end another request by its id.
 */
function isOwn(
  record: StageRecord | undefined,
  { uniqueRequestId, payload }: Request,
  message: Message<unknown>,
): boolean {
  if (record?.run?.uniqueRequestId !== uniqueRequestId) return false
  if (!hasForeignId(message)) return true
  return record.payload !== undefined && isSamePayload(record.payload, payload)
}

function namesOf(flow: Flow, stage: string): Names {
  const known = new Set([...flow.stages.keys(), ...flow.awaits.keys()])
  const part = flow.stages.get(stage) ?? flow.awaits.get(stage)
  return { known, former: part?.formerNames ?? [] }
}

function toClaim(
  given: StageWork,
  place: MessagePosition,
  claimant: Claimant,
  claim: StageClaim,
): Claim {
  if (claim.kind !== 'claimed' && claim.kind !== 'burying') {
    return { ...claim, about: aboutOf(given, place, claim) }
  }
  const { flow, invocation, store, run } = given
  const { clock } = invocation.consumer
  const parts = {
    held: claim.held,
    first: claim.kind === 'claimed' && claim.first,
    key: place.key,
    sentAt: place.sentAt,
    store,
    commit: invocation.commit,
    decide: (record: StageRecord | undefined) =>
      claimant.decide(record, { ...claimant.request, stage: claim.held.stage }),
    closing: (error?: string) => ({
      ...closingOf(flow, clock.now()),
      ...(error === undefined ? {} : { error }),
    }),
    refusal: claim.refusal,
  }
  const hold = stageHold(parts)
  const begun = place.run === undefined ? { flow: carriedBy(hold, flow.name, '') } : {}
  if (claim.kind === 'burying') return { kind: 'burying', hold, ...begun }
  return {
    kind: 'claimed',
    ...begun,
    hold,
    // The name that it has in its run: what a renamed stage sends keeps its ids.
    scope: `${flow.name}.${hold.stage}`,
    uniqueRequestId: place.uniqueRequestId,
    sentAt: place.sentAt,
    run: (payload, opened) => run(payload, opened, hold),
  }
}
