import type { Marks } from '../claim/hold.ts'
import { judgeStanding } from '../claim/stage/heldStage.ts'
import { checkHeld, isApplied, markApplied, withMark } from '../claim/stage/marks.ts'
import { type Grip, openIn } from './stageClaimState.ts'

/** Effects in the user's tables are marks on the stage record. */
export function stageMarks(grip: Grip): Marks {
  return {
    check: () => checkHeld(openIn(grip)),
    mark: (name) => (isApplied(openIn(grip), name) ? undefined : markApplied(openIn(grip), name)),
    marked: (name) => {
      grip.held = {
        ...openIn(grip),
        run: withMark(openIn(grip), markApplied(openIn(grip), name)).run,
      }
    },
    judge: (item, name) => {
      if (name === undefined) return 'lost'
      const standing = judgeStanding(openIn(grip), markApplied(openIn(grip), name), item)
      return standing.kind === 'landed' ? 'set' : 'lost'
    },
  }
}
