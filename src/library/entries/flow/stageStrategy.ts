import type { Claim, ClaimStrategy } from '../../run/deliver/claimStrategy.ts'
import type { IncomingRecord } from '../../run/deliver/readRecord.ts'
import type { OpenContext } from '../../run/context/openContext.ts'
import { latestKnownTime } from '../../base/time.ts'
import { hasCode, toError } from '../../base/errors.ts'
import type { LogFields } from '../../base/logger.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { StageRecord } from '../../protocol/claim/stage/stageRecord.ts'
import type { StageClaimRequest, StageClaim } from '../../protocol/claim/stage/stageClaim.ts'
import { AFTER_LOST, type Death } from '../../protocol/claim/hold.ts'
import { claimStreak } from '../../protocol/claim/stage/claimStreak.ts'
import { claimStage } from '../../protocol/claim/stage/claimStage.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { asRefusal, type MessagePosition, positionOf } from './messagePosition.ts'
import { closingOf, type StageDelivery, stageClaimRequest } from './stageClaimRequest.ts'
import { carriedFlow, StageHold } from '../../protocol/claim/stage/stageHold.ts'
import { type ItemStore, itemStore } from '../../protocol/claim/itemStore.ts'

export type RunStage = (payload: unknown, opened: OpenContext, hold: StageHold) => unknown

/** Handles the messages of one stage. The first stage starts runs; later stages run in the run that sent their message. */
export function stageStrategy(flow: FlowDefinition, stage: string, run: RunStage): ClaimStrategy {
  const streak = claimStreak(stage !== flow.first)
  return {
    serializationKey: (work) => lineOf(flow, stage, work),
    identifies: ({ message }) => stage === flow.first && isCopyOfRun(message),
    ...(flow.onConflict === 'coalesce' ? { compare: newestFirst(flow, stage) } : {}),
    claim: async (works, invocation, ahead) => {
      const store = itemStore(invocation.consumer.store)
      const unread = { streak }
      const parts = { flow, stage, invocation, store, run, ahead, unread }
      return Promise.all(works.map((work) => claimOne({ ...parts, work })))
    },
  }
}

/** Requests of one key run one after the other, because they would only conflict. */
function lineOf(flow: FlowDefinition, stage: string, work: IncomingRecord): string {
  return positionIfAny(flow, stage, work)?.key ?? work.message.uniqueRequestId
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
    const time = times.get(work) ?? positionIfAny(flow, stage, work)?.sentAt ?? work.message.sentAt
    times.set(work, time)
    return time
  }
  return (one, other) => timeOf(other) - timeOf(one)
}

function positionIfAny(
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

/**
 * A message that cannot belong to this stage is dead-lettered. A message that its schema could not check at present stays on its
 * queue.
 */
function unplaced({ message }: IncomingRecord, error: unknown): Claim {
  if (hasCode(error, 'REJECTED')) {
    const refusal = message.kind === 'refused' ? message.refusal : asRefusal(error)
    return { kind: 'refuse', refusal }
  }
  return { kind: 'failed', error: toError(error) }
}

interface StageWork extends StageDelivery {
  readonly store: ItemStore
  readonly run: RunStage
}

/** For the log: the request that the message belongs to, if that is not the message's own, and the other request in its way. */
function aboutOf({ stage }: StageWork, position: MessagePosition, claim: StageClaim): LogFields {
  const { uniqueRequestId: uniquerequestid, key } = position
  const by = 'by' in claim ? claim.by : undefined
  return { uniquerequestid, key, stage, ...(by === undefined ? {} : { by }) }
}

/** Claims the stage for a message whose run and stage are known. */
export async function claimPosition(given: StageWork, position: MessagePosition): Promise<Claim> {
  const claimant = stageClaimRequest(given, position)
  return toClaim(given, position, claimant, await claimStage(given.store, claimant))
}

/** A copy of a request that has started under its stamped id; since then `id(payload)` was added or changed. */
function isCopyOfRun(message: Message<unknown>): boolean {
  const isConflict = message.kind === 'refused' && message.refusal.reason === 'conflict'
  return isConflict && message.envelope.carried.flow?.id === message.uniqueRequestId
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
    isSurelyFirst: claim.kind === 'claimed' && claim.isSurelyFirst,
    key: position.key,
    sentAt: position.sentAt,
    store,
    commit: invocation.commit,
    decide: (record: StageRecord | undefined) =>
      claimant.decide(record, { ...claimant.request, stage: claim.held.stage }),
    closing: (death?: Death) => ({ ...closingOf(flow, clock.now()), ...death }),
    refusal: claim.refusal,
  }
  const hold = new StageHold(parts)
  const begun = {
    ...(position.run === undefined && { flow: carriedFlow(hold, flow.name, '') }),
    ...(claim.afterLost && AFTER_LOST),
  }
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
