import { continuableUntil, keptForRun } from '../../base/limits/lifetime.ts'
import { assertRoom, roomBeside } from '../room.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import type { AppliedEffects, FailedAttempt, Hold } from '../hold.ts'
import { ancestorsOf } from './ancestors.ts'
import { explainRefusedWrite, holdStage } from './heldStage.ts'
import { confirmResend, release, waitUntil, scheduleResend } from './retryStage.ts'
import type { StageRecord } from './stageRecord.ts'
import {
  type StageClaimState,
  type StageClaimParts,
  explainLoss,
  openIn,
  write,
} from './stageClaimState.ts'
import { stageOutsideCalls } from './outsideCalls.ts'
import { finishDeadLettering, startDeadLettering, deathReport, settle } from './stageTransitions.ts'
import { addEffect, checkStageOwned, isApplied, namesOfStage, withEffect } from './marks.ts'

export interface StageHold extends Hold {
  readonly stage: string
  readonly key: string
  /** Id of the request that runs the flow. */
  readonly uniqueRequestId: string
  readonly epoch: number
  /** Version of the request, epoch milliseconds. */
  readonly sentAt: number
  readonly recordPk: string
  readonly giveUpAt: number
  /** Until when everything that belongs to the run is kept, epoch milliseconds. */
  readonly keepUntil: number
  /** Stages and steps that this stage has sent messages to. The run lasts until they have settled. */
  readonly sentTo: Set<string>
  /** Stages and steps that led to this stage. They have settled, and each stage runs once. */
  readonly ancestors: ReadonlySet<string>
  /** Whether the record shows the stage as this attempt's own. */
  holds(record: StageRecord): boolean
}

/** The claim of a running attempt on a stage. */
export function stageHold(parts: StageClaimParts): StageHold {
  const { record, run, stage, entry } = parts.held
  const claimState: StageClaimState = {
    ...parts,
    death: undefined,
    sentTo: new Set(),
  }
  const keepUntil = keptForRun(
    run.continuable ?? continuableUntil(run.giveUpAt, parts.closing().retention),
  )
  const resendNumber = entry.status === 'open' ? entry.resendNumber : 0
  // confirmResend compares with the entry that scheduleResend has written, which includes the number of counted attempts.
  let counted = entry.attempt
  const countedBy = ({ counts }: FailedAttempt): number => entry.attempt - (counts ? 0 : 1)
  return {
    attempt: entry.attempt,
    resendNumber,
    stage,
    key: parts.key,
    uniqueRequestId: run.uniqueRequestId,
    epoch: record.epoch,
    sentAt: parts.sentAt,
    recordPk: record.key.pk,
    run: { recordPk: record.key.pk, uniqueRequestId: run.uniqueRequestId },
    giveUpAt: run.giveUpAt,
    keepUntil,
    notAfter: run.giveUpAt,
    sentTo: claimState.sentTo,
    ancestors: ancestorsOf(run.stages, stage),
    holds: (now) => holdStage(now, stage, entry.attemptId)?.entry.status === 'open',
    fields: {
      uniquerequestid: run.uniqueRequestId,
      key: parts.key,
      stage,
      epoch: record.epoch,
      attempt: entry.attempt,
    },
    fencing: {
      subject: record.key.pk,
      request: run.uniqueRequestId,
      epoch: record.epoch,
      stage,
      fence: record.fence,
      isSurelyFirst: parts.isSurelyFirst,
    },
    effects: stageEffects(claimState),
    calls: stageOutsideCalls({
      store: parts.store,
      first: parts.first,
      traces: parts.traces,
      held: () => openIn(claimState),
      note: (held) => {
        claimState.held = held
      },
      keepUntil,
    }),
    names: () => namesOfStage(openIn(claimState)),
    settle: (end) => {
      const sentTo = end === 'stale' ? [] : [...claimState.sentTo]
      return settle(claimState, sentTo.length === 0, sentTo)
    },
    scheduleResend: (next, notBefore, end) => {
      counted = countedBy(end)
      return write(claimState, scheduleResend(openIn(claimState), next, notBefore, counted))
    },
    confirmResend: async (next, notBefore) => {
      await parts.commit(confirmResend(openIn(claimState), next, notBefore, counted))
    },
    waitUntil: (notBefore, end) =>
      write(claimState, waitUntil(openIn(claimState), notBefore, countedBy(end))),
    release: async () => {
      await parts.commit(release(openIn(claimState)))
    },
    startDeadLettering: (death) => startDeadLettering(claimState, death),
    deathReport: () => deathReport(claimState),
    finishDeadLettering: () => finishDeadLettering(claimState),
    explainLostClaim: async () => explainLoss(claimState, await parts.store.read(record.key)),
  }
}

/** What a message has to carry so that it runs in the same run. */
export function carriedFlow(
  hold: StageHold,
  flow: string,
  from: string = hold.stage,
): RunReference {
  const { key, uniqueRequestId, epoch, sentAt } = hold
  return { name: flow, key, id: uniqueRequestId, epoch, sentAt, from }
}

/** Effects in the user's tables are marks on the stage record. */
function stageEffects(claimState: StageClaimState): AppliedEffects {
  return {
    check: () => checkStageOwned(openIn(claimState)),
    mark: (name) => {
      const held = openIn(claimState)
      if (isApplied(held, name)) return undefined
      assertRoom(roomBeside(held.run.marks), name)
      return addEffect(held, name)
    },
    marked: (name) => {
      claimState.held = {
        ...openIn(claimState),
        run: withEffect(openIn(claimState), addEffect(openIn(claimState), name)).run,
      }
    },
    judge: (item, name) => {
      if (name === undefined) return 'lost'
      const standing = explainRefusedWrite(
        openIn(claimState),
        addEffect(openIn(claimState), name),
        item,
      )
      return standing.kind === 'written' ? 'set' : 'lost'
    },
  }
}
