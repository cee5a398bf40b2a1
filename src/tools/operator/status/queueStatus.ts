import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../base/errors.ts'
import {
  type DeadLetterGroup,
  findDeadLetterQueues,
  type FoundQueue,
  groupDeadLetters,
  messagesOf,
  type UnreadQueue,
} from '../dlq/index.ts'
import type { Store } from '../../../store/store.ts'
import { mapInOrder } from '../../../sweeper/due/concurrency.ts'
import { advise, commandText, note } from '../item/advise.ts'
import { adviceFor, discardCommand } from '../item/adviceFor.ts'
import { nextStep, type StatusFinding } from './finding.ts'
import { type LetterRecords, recordsByGroup } from './letterRecords.ts'

/** Dead letters that are received of each queue: enough to name the groups. `dlq groups` counts all of them. */
const LOOKED = 100

interface Reading {
  readonly sqs: SQSClient
  readonly store: Store
}

interface QueueStatus {
  readonly findings: readonly StatusFinding[]
  /** What could not be looked at, and why. */
  readonly unread: readonly UnreadQueue[]
}

/**
 * The groups of dead letters on every dead-letter queue of the account and Region. Receives some of each queue, and makes them
 * visible again.
 * @throws when the queues cannot be listed
 */
export async function queueStatus(
  { sqs, store }: Reading,
  prefix: string | undefined,
  signal: AbortSignal,
): Promise<QueueStatus> {
  const { queues, unread } = await findDeadLetterQueues({ sqs, prefix })
  const filled = queues.filter((queue) => messagesOf(queue) > 0)
  const findings: StatusFinding[] = []
  const failed: UnreadQueue[] = []
  const look = (queue: FoundQueue) => groupsOf(queue, { sqs, store }, signal)
  for await (const [queue, found] of mapInOrder(filled, look)) {
    if (typeof found === 'string') failed.push({ name: queue.name, url: queue.url, why: found })
    findings.push(...(typeof found === 'string' ? [unlooked(queue)] : found))
  }
  return { findings, unread: [...unread, ...failed] }
}

async function groupsOf(
  queue: FoundQueue,
  { sqs, store }: Reading,
  signal: AbortSignal,
): Promise<readonly StatusFinding[] | string> {
  const { name, url, deadLetterQueue } = queue
  if (deadLetterQueue !== undefined) return 'it has a dead-letter queue of its own'
  const records = recordsByGroup(store)
  try {
    const { groups, looked, more } = await groupDeadLetters({
      queue: url,
      sqs,
      signal,
      most: LOOKED,
      look: records.look,
    })
    if (looked === 0) return [unlooked(queue)]
    return groups.flatMap((group) => findingsOf(group, records.of(group.group), { name, more }))
  } catch (error) {
    return messageOf(error)
  }
}

/** Of those that are undone, and of the rest: the next step is not the same. What is in doubt is a finding of the table. */
function findingsOf(
  group: DeadLetterGroup,
  { undone, inDoubt, parked }: LetterRecords,
  { name, more }: { readonly name: string; readonly more: boolean },
): readonly StatusFinding[] {
  const about = { severity: 'bad', kind: 'dead letters', of: name, atLeast: more } as const
  const { reason, origin, error, oldest, arrivals } = group
  const what = `${reason} of ${origin}: ${error}`
  const count = group.count - (undone?.number ?? 0) - inDoubt
  const findings: StatusFinding[] = []
  if (count > 0) {
    const next = nextFor(group, name)
    findings.push({ ...about, number: count, since: oldest, arrivals, parked, what, ...next })
  }
  if (undone !== undefined) {
    const next = discardNext(undone.messageIds, name)
    findings.push({ ...about, number: undone.number, since: undone.oldest, what, ...next })
  }
  return findings
}

/** By their ids: others of the group may not be undone. */
function discardNext(
  messageIds: readonly string[],
  queue: string,
): Pick<StatusFinding, 'next' | 'afterwards' | 'advice'> {
  const command = discardCommand({ queue, by: { id: messageIds } })
  const why = note('its effects were undone, so that a redrive is dropped')
  return {
    next: commandText(command),
    afterwards: why.text,
    advice: [advise({ command }, { cure: true }), why],
  }
}

function nextFor(
  { reason, group, count, origin, example }: DeadLetterGroup,
  queue: string,
): Pick<StatusFinding, 'next' | 'afterwards' | 'advice'> {
  // The origin of a flow is one of its stages, and its requests stand under their key.
  const request = count === 1 && !origin.includes('.') ? `${origin}/${example}` : undefined
  return adviceFor({ reason, queue, by: { group }, request })
}

/** Counted by SQS only: another reader holds them, or they cannot be received. */
function unlooked(queue: FoundQueue): StatusFinding {
  return {
    severity: 'bad',
    kind: 'dead letters',
    of: queue.name,
    number: messagesOf(queue),
    atLeast: true,
    since: undefined,
    what: 'not looked at',
    ...nextStep({ action: 'dlq.groups', positionals: { queue: queue.name } }),
  }
}
