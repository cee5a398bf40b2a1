import { type IdSet, idSetBuilder } from '../../../src/tools/operator/dlq/idSet.ts'

/** Of dead letters without a `uniquerequestid`. */
export function idSetOf(messageIds: Iterable<string>): IdSet {
  const builder = idSetBuilder()
  for (const messageId of messageIds) builder.add({ messageId })
  return builder.finish()
}
