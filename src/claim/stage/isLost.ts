import type { StageMessage } from './stageMessage.ts'
import type { StageRecord } from './stageRecord.ts'

/**
 * Whether the record has lost the run of this message. Epochs only grow, and an idle record is kept for the retention: an older
 * epoch means that the record was restored from a backup, a missing record that it was deleted by hand. The effects that it
 * recorded are lost.
 */
export function isLost(record: StageRecord | undefined, request: StageMessage): boolean {
  const { young, seen, death = 0 } = request
  return young && (record?.epoch ?? 0) < Math.max(seen, death)
}
