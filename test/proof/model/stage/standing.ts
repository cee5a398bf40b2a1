import type { RefusedWriteMeaning } from '../../../../src/library/protocol/claim/stage/heldStage.ts'
import type { HeldStage } from '../../../../src/library/protocol/claim/stage/stageOwnedBy.ts'
import type { StageEntry } from '../../../../src/library/protocol/claim/stage/stageEntry.ts'
import type { Scene } from './act.ts'
import type { Answer, Op } from './op.ts'

/** What a refused write of its own means to an attempt. */
export function standingOf(
  { protocol }: Scene,
  held: HeldStage<StageEntry>,
  op: Op,
  answer: Answer,
): RefusedWriteMeaning {
  if (op.op !== 'update' && op.op !== 'effect') throw new Error(`${op.op} is no update`)
  const item = answer.kind === 'refused' ? answer.item : undefined
  return protocol.explainRefusedWrite(held, op.update, item)
}
