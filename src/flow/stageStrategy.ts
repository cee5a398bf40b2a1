import { consumerNameOf } from '../batch/consumerName.ts'
import type { Invocation } from '../batch/invocation.ts'
import type { Claim, ClaimStrategy } from '../batch/claimStrategy.ts'
import type { IncomingRecord } from '../batch/incomingRecord.ts'
import type { OpenContext } from '../context/openContext.ts'
import { latestKnownTime } from '../record/envelope/times.ts'
import { hasCode, toError } from '../errors.ts'
import type { Death } from '../claim/hold.ts'
import { bodyOf, isComputed } from '../record/message/samePayload.ts'
import type { LogFields } from '../logger.ts'
import { hasForeignId, type Message } from '../record/message/message.ts'
import type { AnyStageRequest } from '../claim/stage/claimWrite.ts'
import { decideStage } from '../claim/stage/decideStage.ts'
import { decideStart } from '../claim/stage/decideStart.ts'
import type { StageMessage } from '../claim/stage/stageMessage.ts'
import type { EndOptions } from '../claim/stage/endRun.ts'
import { fingerprintOf, isSamePayload } from '../claim/stage/fingerprint.ts'
import type { StageNames } from '../claim/stage/nameInRun.ts'
import { type StageRecord, recordKey } from '../claim/stage/stageRecord.ts'
import type { StageVerdict } from '../claim/stage/verdict.ts'
import type { StageClaimRequest, StageClaim } from '../claim/stage/stageClaim.ts'
import { claimStage } from '../claim/stage/claimStage.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { asRefusal, type MessagePosition, positionOf } from './messagePosition.ts'
import { carriedFlow, type StageHold, stageHold } from '../claim/stage/stageHold.ts'
import { type ItemStore, itemStore } from '../claim/itemStore.ts'

type RunStage = (payload: unknown, opened: OpenContext, hold: StageHold) => unknown

/** Handles the messages of one stage. The first stage starts runs; later stages run in the run that sent their message. */
export function stageStrategy(flow: FlowDefinition, stage: string, run: RunStage): ClaimStrategy {
  return {
    serializationKey: (work) => lineOf(flow, stage, work),
    identifies: ({ message }) => stage === flow.first && isCopyOfRun(message),
    ...(flow.onConflict === 'coalesce' ? { compare: newestFirst(flow, stage) } : {}),
    claim: async (works, invocation, ahead) => {
      const store = itemStore(invocation.consumer.store)
      const parts = { flow, stage, invocation, store, run, ahead }
      return Promise.all(works.map((work) => claimOne({ ...parts, work })))
    },
  }
}

/** Requests of one key run one after the other, because they would only conflict. */
function lineOf(flow: FlowDefinition, stage: string, work: IncomingRecord): string {
  return placeIfAny(flow, stage, work)?.key ?? work.message.uniqueRequestId
}

/**
 * Where only the newest request waits, it is claimed first, so that the others of the batch are not claimed one after the other
 * only to be superseded.
 */
function newestFirst(
  flow: FlowDefinition,
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
  flow: FlowDefinition,
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
  let position: MessagePosition
  try {
    const now = invocation.consumer.clock.now()
    const { message } = work
    position = positionOf(flow, stage, message, latestKnownTime(now, message.envelope.enqueuedAt))
  } catch (error) {
    return unplaced(work, error)
  }
  return claimPosition(given, position)
}

/** A message that cannot belong to this stage is dead-lettered. A message that its schema could not check at present comes back. */
function unplaced({ message }: IncomingRecord, error: unknown): Claim {
  if (hasCode(error, 'REJECTED')) {
    const refusal = message.kind === 'refused' ? message.refusal : asRefusal(error)
    return { kind: 'refuse', refusal }
  }
  return { kind: 'failed', error: toError(error) }
}

interface StageWork {
  readonly flow: FlowDefinition
  readonly stage: string
  readonly work: IncomingRecord
  readonly invocation: Invocation
  readonly store: ItemStore
  readonly run: RunStage
  readonly ahead: boolean
}

/** For the log: the request that the message belongs to, if that is not the message's own, and the other request in its way. */
function aboutOf({ stage }: StageWork, position: MessagePosition, claim: StageClaim): LogFields {
  const { uniqueRequestId: uniquerequestid, key } = position
  const by = 'by' in claim ? claim.by : undefined
  return { uniquerequestid, key, stage, ...(by === undefined ? {} : { by }) }
}

/** Claims the stage for a message whose run and stage are known. */
export async function claimPosition(given: StageWork, position: MessagePosition): Promise<Claim> {
  const claimant = claimantOf(given, position)
  return toClaim(given, position, claimant, await claimStage(given.store, claimant))
}

function claimantOf(
  { flow, stage, work, invocation, ahead }: StageWork,
  position: MessagePosition,
): StageClaimRequest {
  const { consumer, leaseUntil } = invocation
  const { message } = work
  const { retry, death, reason, notBefore = 0 } = message.envelope.carried
  const refusal = position.refusal ?? (message.kind === 'refused' ? message.refusal : undefined)
  const now = consumer.clock.now()
  const isLetter = death !== undefined || reason !== undefined
  const delivery: StageMessage & Pick<AnyStageRequest, 'sentAt' | 'order'> = {
    stage,
    uniqueRequestId: position.uniqueRequestId,
    attemptId: invocation.nextAttemptId(),
    leaseUntil: Math.ceil(leaseUntil),
    maxAttempts: consumer.maxAttempts,
    retry,
    death: isLetter ? (death ?? 0) : undefined,
    giveUpAt: Math.ceil((isLetter ? now : message.takenAt) + flow.giveUpAfter),
    refused: refusal !== undefined,
    history: undefined,
    after: position.run?.from,
    seen: position.run?.epoch ?? position.seen ?? 0,
    young: now - message.takenAt < flow.retention,
    fifo: invocation.fifo,
    payload: position.run === undefined ? payloadOf(message) : undefined,
    sentAt: position.sentAt,
    order: flow.order,
  }
  const { run } = position
  return {
    key: recordKey(flow.name, position.key),
    notBefore: retry === 0 ? notBefore : 0,
    request:
      run === undefined
        ? { ...delivery, onConflict: flow.onConflict, by: consumerNameOf(work, invocation) }
        : { ...delivery, epoch: run.epoch },
    names: namesOf(flow, stage),
    ahead,
    decide: (record, request) =>
      position.run === undefined &&
      position.refusal !== undefined &&
      !isOwn(record, request, message)
        ? { kind: 'refuse', because: 'rejected' }
        : decide(record, request, consumer.clock.now()),
    sleep: (milliseconds) => consumer.clock.sleep(milliseconds, invocation.signal),
    refusal: refusal ?? NO_REFUSAL,
    closing: closingOf(flow, now),
  }
}

function decide(
  record: StageRecord | undefined,
  request: AnyStageRequest,
  now: number,
): StageVerdict {
  return 'epoch' in request ? decideStage(record, request, now) : decideStart(record, request, now)
}

function closingOf(flow: FlowDefinition, now: number): EndOptions {
  return { retention: flow.retention, now }
}

function payloadOf({ payloadHash }: Message<unknown>): string | undefined {
  if (payloadHash === undefined) return undefined
  return fingerprintOf(bodyOf(payloadHash), isComputed(payloadHash))
}

const NO_REFUSAL: Death = { reason: 'rejected', error: 'refused' }

/** A copy of a request that has started under its stamped id; since then `id(payload)` was added or changed. */
function isCopyOfRun(message: Message<unknown>): boolean {
  const isConflict = message.kind === 'refused' && message.refusal.reason === 'conflict'
  return isConflict && message.envelope.carried.flow?.id === message.uniqueRequestId
}

/**
 * A refused message of the first stage ends its own run and no other. If its stamp contradicts its payload, it must bring exactly
 * the payload that the run started with: otherwise any sender could end another request by its id.
 */
function isOwn(
  record: StageRecord | undefined,
  { uniqueRequestId, payload }: AnyStageRequest,
  message: Message<unknown>,
): boolean {
  if (record?.run?.uniqueRequestId !== uniqueRequestId) return false
  if (!hasForeignId(message)) return true
  return record.payload !== undefined && isSamePayload(record.payload, payload)
}

function namesOf(flow: FlowDefinition, stage: string): StageNames {
  const known = new Set([...flow.stages.keys(), ...flow.awaits.keys()])
  const part = flow.stages.get(stage) ?? flow.awaits.get(stage)
  return { known, former: part?.formerNames ?? [] }
}

function toClaim(
  given: StageWork,
  position: MessagePosition,
  claimant: StageClaimRequest,
  claim: StageClaim,
): Claim {
  if (claim.kind !== 'claimed' && claim.kind !== 'deadLettering') {
    return { ...claim, about: aboutOf(given, position, claim) }
  }
  const { flow, invocation, store, run } = given
  const { clock } = invocation.consumer
  const parts = {
    held: claim.held,
    first: claim.kind === 'claimed' && claim.first,
    key: position.key,
    sentAt: position.sentAt,
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
  const begun = position.run === undefined ? { flow: carriedFlow(hold, flow.name, '') } : {}
  if (claim.kind === 'deadLettering') return { kind: 'deadLettering', hold, ...begun }
  return {
    kind: 'claimed',
    ...begun,
    hold,
    // The stage's name in this run: the ids of what a renamed stage sends must stay the same.
    scope: `${flow.name}.${hold.stage}`,
    uniqueRequestId: position.uniqueRequestId,
    sentAt: position.sentAt,
    run: (payload, opened) => run(payload, opened, hold),
  }
}
