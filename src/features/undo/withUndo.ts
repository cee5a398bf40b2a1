import type { ClaimStrategy } from '../../deliver/claimStrategy.ts'
import type { StageToUndo } from '../../consumer/undo.ts'
import { claimUndo } from './claimUndo.ts'
import { splitClaims } from './splitClaims.ts'

/** The strategy of a stage whose effects can be undone. */
export function withUndo(stage: StageToUndo, ordinary: ClaimStrategy): ClaimStrategy {
  return splitClaims(
    ({ message }) => message.envelope.carried.flow?.undo === true,
    (works, invocation, ahead) => claimUndo(stage, works, invocation, ahead),
    ordinary,
  )
}
