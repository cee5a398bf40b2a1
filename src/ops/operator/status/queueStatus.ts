import type { SQSClient } from '@aws-sdk/client-sqs'
import { messageOf } from '../../../errors.ts'
import {
  type DeadLetterGroup,
  findDeadLetterQueues,
  type FoundQueue,
  groupDeadLetters,
  messagesOf,
  type UnreadQueue,
} from '../dlq/index.ts'
import { mapInOrder } from '../tasks/concurrency.ts'
import { adviceFor } from '../item/adviceFor.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** Dead letters that are received of each queue: enough to name the groups. `dlq groups` counts all of them. */
const LOOKED = 100

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
  sqs: SQSClient,
  prefix: string | undefined,
  signal: AbortSignal,
): Promise<QueueStatus> {
  const { queues, unread } = await findDeadLetterQueues({ sqs, prefix })
  const filled = queues.filter((queue) => messagesOf(queue) > 0)
  const findings: StatusFinding[] = []
  const failed: UnreadQueue[] = []
  const look = (queue: FoundQueue) => groupsOf(queue, sqs, signal)
  for await (const [queue, found] of mapInOrder(filled, look)) {
    if (typeof found === 'string') failed.push({ name: queue.name, url: queue.url, why: found })
    findings.push(...(typeof found === 'string' ? [unlooked(queue)] : found))
  }
  return { findings, unread: [...unread, ...failed] }
}

async function groupsOf(
  queue: FoundQueue,
  sqs: SQSClient,
  signal: AbortSignal,
): Promise<readonly StatusFinding[] | string> {
  const { name, url, deadLetterQueue } = queue
  if (deadLetterQueue !== undefined) return 'it has a dead-letter queue of its own'
  try {
    const { groups, looked, more } = await groupDeadLetters({
      queue: url,
      sqs,
      signal,
      most: LOOKED,
    })
    if (looked === 0) return [unlooked(queue)]
    return groups.map((group) => ({
      severity: 'bad',
      kind: 'dead letters',
      of: name,
      number: group.count,
      atLeast: more,
      since: group.oldest,
      arrivals: group.arrivals,
      what: `${group.reason} of ${group.origin}: ${group.error}`,
      ...nextFor(group, name),
    }))
  } catch (error) {
    return messageOf(error)
  }
}

function nextFor(
  { reason, group, count, origin, example }: DeadLetterGroup,
  queue: string,
): Pick<StatusFinding, 'next' | 'afterwards' | 'advice'> {
  // The origin of a flow is one of its stages, and its requests stand under their key.
  const request = count === 1 && !origin.includes('.') ? `${origin}/${example}` : undefined
  const { redrive: _, ...steps } = adviceFor({ reason, queue, by: { group }, request })
  return steps
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
