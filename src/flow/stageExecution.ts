import type { OpenContext } from '../context/openContext.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import type { StageHold } from '../claim/stage/stageHold.ts'
import type { ItemStore } from '../claim/itemStore.ts'

/** One run of a stage's handler, as its context needs it. */
export interface StageExecution {
  readonly flow: FlowDefinition
  readonly stage: string
  readonly hold: StageHold
  readonly opened: OpenContext
  readonly store: ItemStore
  now(): number
}
