import type { Invocation } from '../deliver/invocation.ts'
import type { Claim } from '../deliver/claimStrategy.ts'
import type { IncomingRecord } from '../deliver/incomingRecord.ts'
import type { Handle } from '../deliver/tokenStrategy.ts'
import type { OpenContext } from '../context/openContext.ts'
import type { RunReference } from '../record/envelope/envelope.ts'
import type { Death, OutsideCalls } from '../claim/hold.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { StageHold } from '../claim/stage/stageHold.ts'
import type { ItemStore } from '../claim/itemStore.ts'
import type { WaitingRun } from '../claim/awaiting/waitingRuns.ts'

/** What to run when a step is complete, has timed out, or has a late answer. */
interface StepHandlers {
  answered(answered: AnsweredStep, opened: OpenContext, hold: StageHold): unknown
  timedOut(opened: OpenContext, hold: StageHold): unknown
  /** Handles answers that no run waits for any longer. undefined: they are dropped. */
  readonly late: Handle | undefined
}

export interface AnsweredStep {
  readonly payload: unknown
  readonly externalId: string
  readonly waiting: WaitingRun
  readonly store: ItemStore
}

export interface AwaitedStep {
  readonly flow: FlowDefinition
  readonly name: string
  readonly runs: StepHandlers
  /** See OutsideCalls. */
  readonly traces?: OutsideCalls['traces']
}

/** One answer, or a reminder, that is being delivered to its run. */
export interface AnswerDelivery extends AwaitedStep {
  readonly work: IncomingRecord
  readonly invocation: Invocation
  readonly store: ItemStore
  readonly ahead: boolean
}

export function runOf(flow: FlowDefinition, waiting: WaitingRun): RunReference {
  const { key, uniqueRequestId, sentAt, from, awaiting } = waiting
  return { name: flow.name, key, id: uniqueRequestId, epoch: awaiting.epoch, sentAt, from }
}

export function refuse({ reason, error }: Death): Claim {
  return { kind: 'refuse', refusal: { reason, error } }
}
