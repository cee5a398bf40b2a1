import type { FlowDefinition } from './flowDefinition.ts'
import type { StageToUndo } from '../consumer/undo.ts'

/** A stage or an awaited step with the option `undo`. */
export function partToUndo(flow: FlowDefinition, part: string): StageToUndo | undefined {
  const undo = (flow.stages.get(part) ?? flow.awaits.get(part))?.undo
  if (undo === undefined) return undefined
  const { store, clock } = flow.consumerOf(part)
  const now = (): number => clock.now()
  const marksKeptFor = flow.undo?.inSql === true ? flow.retention : undefined
  return { flow: flow.name, stage: part, undo, store, marksKeptFor, now }
}
