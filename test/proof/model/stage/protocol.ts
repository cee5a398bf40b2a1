import { dropDeadRun } from '../../../../src/library/protocol/claim/stage/dropRun.ts'
import {
  decideAnswer,
  decideEarly,
  decideTimeout,
} from '../../../../src/library/protocol/claim/awaiting/decideAnswer.ts'
import { saveAwaiting } from '../../../../src/library/protocol/claim/awaiting/saveAwaiting.ts'
import { addWaiter } from '../../../../src/library/protocol/claim/awaiting/waitingRuns.ts'
import { claimWrite } from '../../../../src/library/protocol/claim/stage/claimWrite.ts'
import {
  probableClaim,
  reportSuperseded,
} from '../../../../src/library/protocol/claim/stage/claimInRecord.ts'
import {
  writeDrop,
  writeWaiting,
} from '../../../../src/library/protocol/claim/stage/decideConflict.ts'
import {
  decideStage,
  decideStart,
} from '../../../../src/library/protocol/claim/stage/decideStage.ts'
import {
  decideAbandon,
  resetFromOutside,
} from '../../../../src/library/protocol/claim/stage/abandonRun.ts'
import {
  explainRefusedWrite,
  callState,
  isApplied,
  addStageEffect,
  markNotDone,
  markStarted,
  withEffect,
} from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import {
  deadEntry,
  settleStage,
  resentEntry,
  dyingEntry,
  resendingEntry,
} from '../../../../src/library/protocol/claim/stage/endAttempt.ts'
import type { Op } from './op.ts'

/** The shipped functions, by name, so that a removal can stand in for one of them. */
export interface Protocol {
  readonly decideStart: typeof decideStart
  readonly decideStage: typeof decideStage
  readonly claimWrite: typeof claimWrite
  readonly reportSuperseded: typeof reportSuperseded
  readonly probableClaim: typeof probableClaim
  readonly explainRefusedWrite: typeof explainRefusedWrite
  readonly settleStage: typeof settleStage
  readonly finishDeadLettering: typeof deadEntry
  readonly scheduleResend: typeof resendingEntry
  readonly confirmResend: typeof resentEntry
  readonly startDeadLettering: typeof dyingEntry
  readonly writeDrop: typeof writeDrop
  readonly writeWaiting: typeof writeWaiting
  readonly decideAbandon: typeof decideAbandon
  readonly resetFromOutside: typeof resetFromOutside
  readonly dropDeadRun: typeof dropDeadRun
  readonly isApplied: typeof isApplied
  readonly addEffect: typeof addStageEffect
  readonly withEffect: typeof withEffect
  readonly callState: typeof callState
  readonly markStarted: typeof markStarted
  readonly markNotDone: typeof markNotDone
  readonly saveAwaiting: typeof saveAwaiting
  readonly addWaiter: typeof addWaiter
  readonly decideAnswer: typeof decideAnswer
  readonly decideEarly: typeof decideEarly
  readonly decideTimeout: typeof decideTimeout
  readonly recipe: Recipe
  /** Wraps the calls of an invocation: a removal strips conditions here. */
  readonly rewrite: (op: Op) => Op
}

/** What src/library/entries/flow has to do around the functions; doing otherwise is a bug of its own. */
export interface Recipe {
  /** Whether the ids of sent messages are the same in every attempt and every run of a request. */
  readonly ids: 'stable' | 'new in each epoch' | 'new in each attempt'
  readonly handOver: 'after the effects' | 'first'
  readonly whenFenced: 'decide again' | 'acknowledge'
  readonly whenHeld: 'leave the message' | 'acknowledge'
  readonly deadLetter: 'after the fence' | 'before it'
  readonly copy: 'before the acknowledgement' | 'after it'
  readonly ending: 'remember, then reset' | 'reset, then remember'
  readonly question: 'after the step is saved' | 'before it'
  readonly sweeper: 'shipped' | 'none'
  readonly report: 'with the end' | 'after it' | 'before it'
}

export const shipped: Protocol = {
  decideStart,
  decideStage,
  claimWrite,
  reportSuperseded,
  probableClaim,
  explainRefusedWrite,
  settleStage,
  finishDeadLettering: deadEntry,
  scheduleResend: resendingEntry,
  confirmResend: resentEntry,
  startDeadLettering: dyingEntry,
  writeDrop,
  writeWaiting,
  decideAbandon,
  resetFromOutside,
  dropDeadRun,
  isApplied,
  addEffect: addStageEffect,
  withEffect,
  callState,
  markStarted,
  markNotDone,
  saveAwaiting,
  addWaiter,
  decideAnswer,
  decideEarly,
  decideTimeout,
  recipe: {
    ids: 'stable',
    handOver: 'after the effects',
    whenFenced: 'decide again',
    whenHeld: 'leave the message',
    deadLetter: 'after the fence',
    copy: 'before the acknowledgement',
    ending: 'remember, then reset',
    question: 'after the step is saved',
    sweeper: 'shipped',
    report: 'with the end',
  },
  rewrite: (op) => op,
}
