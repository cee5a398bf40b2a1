import type { SeenGroup } from '../operator/dlq/index.ts'
import { deadLetterCount } from './dlqOptions.ts'
import type { Unseen } from '../operator/dlq/index.ts'
import { listed } from './listed.ts'

interface Seen {
  readonly groups: readonly SeenGroup[]
  readonly hidden: number
}

/** What a plan changes: by group, with ids. */
export function plannedLines({ groups }: Pick<Seen, 'groups'>): readonly string[] {
  return groups
    .filter(({ planned }) => planned > 0)
    .flatMap(({ planned, origin, reason, error, ids }) => {
      const more = planned > ids.length ? `, and ${planned - ids.length} more` : ''
      return [
        `  ${planned} ${reason} of ${origin}${error === '' ? '' : `: ${error}`}`,
        `    ${ids.join(', ')}${more}`,
      ]
    })
}

/** Why nothing matches: what is there, and what could not be seen. */
export function notFoundLines({ groups, hidden }: Seen): readonly string[] {
  return [
    ...(hidden > 0 ? [heldLine(hidden)] : []),
    ...(groups.length > 0 ? ['On the queue are, by group:'] : []),
    ...groups.map(
      ({ group, count, reason, origin, error }) =>
        `  ${group}  ${count} ${reason} of ${origin}${error === '' ? '' : `: ${error}`}`,
    ),
  ]
}

/** A command that is killed holds what it has looked at for a minute. */
function heldLine(hidden: number): string {
  return `Another reader, or a command that was killed, holds ${deadLetterCount(hidden)}: type it again in a minute.`
}

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
