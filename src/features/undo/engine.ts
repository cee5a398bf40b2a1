import type { UndoEngine } from '../../consumer/undo.ts'
import { isUndone } from './undoNames.ts'
import { openStage } from './openStage.ts'
import { runEnder } from './runEnder.ts'
import { undoableRecords } from './undoableRecords.ts'
import { withUndo } from './withUndo.ts'
import { writePlan } from './undoPlan.ts'

export const engine: UndoEngine = {
  planOf: writePlan,
  enderOf: runEnder,
  openStage,
  isUndone,
  strategyOf: withUndo,
  recordsOf: undoableRecords,
}
