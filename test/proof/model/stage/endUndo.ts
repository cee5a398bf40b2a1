import type { EndingKind, StageRecord } from '../../../../src/claim/stage/stageRecord.ts'
import {
  confirmSent,
  type ParkedUndo,
  readParkedUndo,
} from '../../../../src/features/undo/parkDead.ts'
import { stagesToUndo, writePlan } from '../../../../src/features/undo/decideEnding.ts'
import { closingAt, endingOps, type Scene, stays } from './ends.ts'
import type { Op } from './op.ts'
import type { Pc } from './pc.ts'
import type { Scenario } from './scenario.ts'

export function planOf(
  { undo, undoDead, stages: all }: Scenario,
  sentAt: number,
): { readonly undoPlan?: string } {
  if (undo.length === 0) return {}
  const awaited = Object.values(all).flatMap((steps) =>
    steps.flatMap((step) => ('awaits' in step ? [step.awaits] : [])),
  )
  // A flow declares its awaited steps apart from its stages.
  const declared = undo.toSorted(
    (one, other) => Number(awaited.includes(one)) - Number(awaited.includes(other)),
  )
  const stages = declared.map((stage) => ({ stage, queueUrl: QUEUE }))
  return { undoPlan: writePlan({ sentAt, stages, inSql: false, undoDead }) }
}

const QUEUE = 'https://sqs.eu-central-1.amazonaws.com/1/q'

/** One write of the end of a run whose effects have to be undone: what is next depends on the record as it was read. */
export function endRun(
  scene: Scene,
  record: StageRecord,
  as: EndingKind,
  after: 'stop' | 'decide' | 'acknowledge',
): Pc {
  const { protocol, state } = scene
  const decision = protocol.decideEnding(record, as, closingAt(state.clock))
  if (decision.kind === 'keep' || (decision.kind === 'fence' && after === 'acknowledge')) {
    return stays
  }
  if (decision.kind === 'fence') {
    const next = after === 'decide' ? 'decide' : 'stop'
    return { at: 'fence', update: decision.update, as, after: next }
  }
  const { ending } = decision
  const parked = readParkedUndo(ending.deadRun?.create)
  const asks = parked === undefined ? [] : askOps(parked, state.clock)
  return { at: 'end', todo: [...endingOps(scene, ending), ...asks], after }
}

/** The first message of the undo, and the note that it was sent. */
export function askOps(parked: ParkedUndo, now: number): Op[] {
  const [last] = stagesToUndo(parked.plan, parked)
  if (parked.undo === 'undone' || last === undefined) return []
  return [
    undoOp(parked, last.stage),
    { op: 'update', label: 'confirms the undo', update: confirmSent(parked, now) },
  ]
}

export function undoOp(parked: ParkedUndo, stage: string): Op {
  return { op: 'ask for undo', uid: parked.uniqueRequestId, epoch: parked.epoch, stage }
}
