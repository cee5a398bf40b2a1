import type { AppliedEffects } from '../claim/hold.ts'
import { explainRefusedWrite } from '../claim/stage/heldStage.ts'
import { checkStageOwned, isApplied, addEffect, withEffect } from '../claim/stage/marks.ts'
import { type StageClaimState, openIn } from './stageClaimState.ts'

/** Effects in the user's tables are marks on the stage record. */
export function stageEffects(claimState: StageClaimState): AppliedEffects {
  return {
    check: () => checkStageOwned(openIn(claimState)),
    mark: (name) =>
      isApplied(openIn(claimState), name) ? undefined : addEffect(openIn(claimState), name),
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
