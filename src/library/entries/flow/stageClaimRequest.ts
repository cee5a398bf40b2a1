import { type IncomingRecord, receiptsOf } from '../../run/deliver/readRecord.ts'
import { consumerNameOf } from '../../run/deliver/invocation.ts'
import type { Invocation } from '../../run/deliver/invocation.ts'
import type { Death } from '../../protocol/claim/hold.ts'
import { GIVEN_UP, isGivenUp } from '../../protocol/claim/stage/stageEntry.ts'
import type { AnyStageRequest } from '../../protocol/claim/stage/claimWrite.ts'
import { decideStage, decideStart } from '../../protocol/claim/stage/decideStage.ts'
import type { EndOptions } from '../../protocol/claim/stage/endRun.ts'
import { fingerprintOf, isSamePayload } from '../../protocol/claim/stage/version.ts'
import type { StageNames, StageMessage } from '../../protocol/claim/stage/stageMessage.ts'
import type { StageClaimRequest, Unread } from '../../protocol/claim/stage/stageClaim.ts'
import { recordKey, type StageRecord } from '../../protocol/claim/stage/stageRecord.ts'
import type { StageVerdict } from '../../protocol/claim/stage/verdict.ts'
import {
  hasForeignId,
  type Message,
  bodyOf,
  isComputed,
} from '../../protocol/record/message/message.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { MessagePosition } from './messagePosition.ts'

/** A message of a stage, and the invocation that received it. */
export interface StageDelivery {
  readonly flow: FlowDefinition
  readonly stage: string
  readonly work: IncomingRecord
  readonly invocation: Invocation
  readonly ahead: boolean
  /** See Unread. undefined: the record is read first. */
  readonly unread?: Pick<Unread, 'streak'>
}

/** What the message asks of its stage record. */
export function stageClaimRequest(
  { flow, stage, work, invocation, ahead, unread }: StageDelivery,
  position: MessagePosition,
): StageClaimRequest {
  const { consumer, leaseUntil } = invocation
  const { message } = work
  const { carried } = message.envelope
  const { resendNumber, death, reason, notBefore = 0 } = carried
  const refusal = position.refusal ?? (message.kind === 'refused' ? message.refusal : undefined)
  const now = consumer.clock.now()
  const isDeadLetter = death !== undefined || reason !== undefined
  const delivery: StageMessage & Pick<AnyStageRequest, 'sentAt' | 'process'> = {
    stage,
    uniqueRequestId: position.uniqueRequestId,
    attemptId: invocation.nextAttemptId(),
    leaseUntil: Math.ceil(leaseUntil),
    maxAttempts: consumer.maxAttempts,
    resendNumber,
    death: isDeadLetter ? (death ?? 0) : undefined,
    giveUpAt: Math.ceil((isDeadLetter ? now : message.takenAt) + flow.giveUpAfter),
    refused: refusal !== undefined,
    history: undefined,
    after: position.run?.from,
    seen: position.run?.epoch ?? position.seen ?? 0,
    // @protects an answer to a run that is no longer remembered is not taken for one to a lost record
    // @without now - message.takenAt < flow.retention @tests test/proof/lifetimes
    young: now - (position.begunAt ?? message.takenAt) < flow.retention,
    fifo: invocation.fifo,
    ...(position.run === undefined
      ? { payload: payloadOf(message) }
      : // An answer that is given in place of another one may have other content.
        flow.stages.has(stage) && { laterPayload: payloadOf(message) }),
    sentAt: position.sentAt,
    process: flow.process,
    failures: flow.failures?.queueUrl,
    first: { epoch: consumer.sql ? Math.floor(now) : 0, fence: Math.floor(now) },
  }
  const { run } = position
  const isNew =
    receiptsOf(work.record) === 1 && resendNumber === 0 && !isDeadLetter && !position.seen
  const afresh = position.reopened === true ? Math.ceil(now + flow.giveUpAfter) : undefined
  return {
    key: recordKey(flow.name, position.key),
    notBefore: resendNumber === 0 ? notBefore : 0,
    request:
      run === undefined
        ? { ...delivery, onConflict: flow.onConflict, by: consumerNameOf(invocation) }
        : { ...delivery, epoch: run.epoch },
    names: namesOf(flow, stage),
    ahead,
    decide: (record, request) =>
      position.run === undefined &&
      position.refusal !== undefined &&
      !isOwn(record, request, message)
        ? { kind: 'refuse', because: 'rejected' }
        : decide(record, asRevival(record, request, afresh), consumer.clock.now()),
    sleep: (milliseconds) => consumer.clock.sleep(milliseconds, invocation.signal),
    refusal: refusal ?? NO_REFUSAL,
    closing: closingOf(flow, now),
    ...(unread && isNew && { unread: { ...unread, fence: run?.fence } }),
  }
}

function decide(
  record: StageRecord | undefined,
  request: AnyStageRequest,
  now: number,
): StageVerdict {
  return 'epoch' in request ? decideStage(record, request, now) : decideStart(record, request, now)
}

/**
 * An answer of a step that was reopened after its handler died, or its timeout, revives the handler, as its redriven dead letter
 * would: with a new time limit, because the timeout is as old as the run.
 *
 * @param giveUpAt undefined if the step was not reopened
 */
function asRevival(
  record: StageRecord | undefined,
  request: AnyStageRequest,
  giveUpAt: number | undefined,
): AnyStageRequest {
  if (giveUpAt === undefined) return request
  const isOfRun = record?.run?.uniqueRequestId === request.uniqueRequestId
  const stages = isOfRun ? record?.run?.stages : request.history?.deadRun?.stages
  return isGivenUp(stages?.get(request.stage))
    ? { ...request, death: GIVEN_UP.epoch, giveUpAt }
    : request
}

export function closingOf(flow: FlowDefinition, now: number): EndOptions {
  return { retention: flow.retention, now }
}

function payloadOf({ payloadHash }: Message<unknown>): string | undefined {
  if (payloadHash === undefined) return undefined
  return fingerprintOf(bodyOf(payloadHash), isComputed(payloadHash))
}

const NO_REFUSAL: Death = { reason: 'rejected', error: 'refused' }

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
  const known = new Set([...flow.stages.keys(), ...flow.awaitingSteps.keys()])
  const part = flow.stages.get(stage) ?? flow.awaitingSteps.get(stage)
  return { known, former: part?.formerNames ?? [] }
}
