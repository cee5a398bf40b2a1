import type { DeadRunFacts, FlowFacts, StepFacts } from './flowFacts.ts'
import type { DelayedFacts, EventFacts } from './messageFacts.ts'
import type { KeptFacts, OtherFacts, UnreadableFacts } from './otherFacts.ts'
import type { TokenFacts } from './tokenFacts.ts'

/**
 * What is known of one stored item. `explain` prints its prose from it, and `explain --json` has it beside the prose. Times are
 * epoch milliseconds; in JSON they are ISO 8601. No facts hold a payload, an answer or a result: only their sizes.
 */
export type Facts =
  | TokenFacts
  | FlowFacts
  | StepFacts
  | DeadRunFacts
  | EventFacts
  | DelayedFacts
  | KeptFacts
  | OtherFacts
  | UnreadableFacts
