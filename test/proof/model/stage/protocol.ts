import {
  decideComplete,
  decideEarly,
  decideTimeout,
} from '../../../../src/claim/awaiting/decideComplete.ts'
import { saveAwaiting } from '../../../../src/claim/awaiting/saveAwaiting.ts'
import { listWaiter } from '../../../../src/claim/awaiting/waiters.ts'
import { claimWrite } from '../../../../src/claim/stage/claimWrite.ts'
import { writeDrop, writeWaiting } from '../../../../src/claim/stage/conflictWrites.ts'
import { decideStage } from '../../../../src/claim/stage/decideStage.ts'
import { decideStart } from '../../../../src/claim/stage/decideStart.ts'
import { decideGiveUp, resetFromOutside } from '../../../../src/claim/stage/abandonRun.ts'
import { judgeStanding } from '../../../../src/claim/stage/heldStage.ts'
import { buryStage, settleStage } from '../../../../src/claim/stage/settleStage.ts'
import {
  callState,
  checkHeld,
  isApplied,
  markApplied,
  markNotDone,
  markStarted,
  withMark,
} from '../../../../src/claim/stage/marks.ts'
import { confirmTicket, die, writeTicket } from '../../../../src/claim/stage/retryStage.ts'
import type { Op } from './op.ts'

/** The shipped functions, by name, so that a removal can stand in for one of them. */
export interface Protocol {
  readonly decideStart: typeof decideStart
  readonly decideStage: typeof decideStage
  readonly claimWrite: typeof claimWrite
  readonly judgeStanding: typeof judgeStanding
  readonly settleStage: typeof settleStage
  readonly buryStage: typeof buryStage
  readonly writeTicket: typeof writeTicket
  readonly confirmTicket: typeof confirmTicket
  readonly die: typeof die
  readonly writeDrop: typeof writeDrop
  readonly writeWaiting: typeof writeWaiting
  readonly decideGiveUp: typeof decideGiveUp
  readonly resetFromOutside: typeof resetFromOutside
  readonly isApplied: typeof isApplied
  readonly checkHeld: typeof checkHeld
  readonly markApplied: typeof markApplied
  readonly withMark: typeof withMark
  readonly callState: typeof callState
  readonly markStarted: typeof markStarted
  readonly markNotDone: typeof markNotDone
  readonly saveAwaiting: typeof saveAwaiting
  readonly listWaiter: typeof listWaiter
  readonly decideComplete: typeof decideComplete
  readonly decideEarly: typeof decideEarly
  readonly decideTimeout: typeof decideTimeout
  readonly recipe: Recipe
  /** Stands between an invocation and what it asks for: a removal strips conditions here. */
  readonly rewrite: (op: Op) => Op
}

/** What the flow room has to do around the functions, where doing otherwise is a fault of its own. */
export interface Recipe {
  /** Whether the ids of what is handed on are the same in every attempt and every run of a request. */
  readonly ids: 'stable' | 'new in each epoch' | 'new in each attempt'
  readonly handOver: 'after the effects' | 'first'
  readonly whenFenced: 'decide again' | 'acknowledge'
  readonly whenHeld: 'leave the message' | 'acknowledge'
  readonly deadLetter: 'after the fence' | 'before it'
  readonly copy: 'before the acknowledgement' | 'after it'
  readonly ending: 'remember, then reset' | 'reset, then remember'
  readonly question: 'after the step is saved' | 'before it'
}

export const shipped: Protocol = {
  decideStart,
  decideStage,
  claimWrite,
  judgeStanding,
  settleStage,
  buryStage,
  writeTicket,
  confirmTicket,
  die,
  writeDrop,
  writeWaiting,
  decideGiveUp,
  resetFromOutside,
  isApplied,
  checkHeld,
  markApplied,
  withMark,
  callState,
  markStarted,
  markNotDone,
  saveAwaiting,
  listWaiter,
  decideComplete,
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
  },
  rewrite: (op) => op,
}
