import type { Unseen } from '../operator/dlq/index.ts'
import { listed } from './listed.ts'

/** Those of a plan that a run has not changed, because it did not see them. */
export function goneLines({ missing, missingLetters, untried }: Unseen): readonly string[] {
  const names = missingLetters.map(({ messageId, uniqueRequestId }) =>
    uniqueRequestId === undefined
      ? `message ${messageId}`
      : `message ${messageId}, uniquerequestid ${uniqueRequestId}`,
  )
  const among =
    names.length > missing
      ? ': they are among these, and earlier runs have dealt with the rest'
      : ''
  return [
    ...(missing > 0
      ? [
          `${missing} of the plan are not on the queue any more, or another reader holds them${among}:`,
          ...listed(names),
        ]
      : []),
    ...(untried > 0 ? [`${untried} of the plan were not tried: they stay on the queue`] : []),
  ]
}
