import type { StageMessage } from './stageMessage.ts'
import type { StageRecord } from './stageRecord.ts'

/**
 * Epochs only grow, and an idle record is kept for the retention: an older one was restored from a backup, a missing one was
 * deleted by hand. What it knew of the run, its effects among it, is gone.
 */
export function isLost(record: StageRecord | undefined, request: StageMessage): boolean {
  const { young, seen, death = 0 } = request
  return young && (record?.epoch ?? 0) < Math.max(seen, death)
}
