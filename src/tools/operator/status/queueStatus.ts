import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../library/base/clock.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { type DeadLetterGroup, groupDeadLetters } from '../dlq/look.ts'
import {
  findDeadLetterQueues,
  type FoundQueue,
  messagesOf,
  type UnreadQueue,
} from '../dlq/findQueues.ts'
import type { Store } from '../../../library/protocol/store/store.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import { type NextStep, nextStep, note } from '../item/advise.ts'
import { adviceFor, redriveCommand } from '../item/adviceFor.ts'
import { secondLook } from './secondLook.ts'
import { type SourceQueue, sourceStatus } from './sourceStatus.ts'
import type { LetterSample, StatusFinding } from './finding.ts'
import { type LetterRecords, recordsByGroup } from './letterRecords.ts'

/** Dead letters that are received of each queue: a second or two. `dlq groups` counts all of them. */
const LOOKED = 500

interface Reading {
  readonly sqs: SQSClient
  readonly store: Store
  readonly clock: Clock
}

type Sources = Parameters<typeof sourceStatus>[1]

/** Dead letters of one group, before those of one cause are joined. */
export interface LetterFinding extends StatusFinding {
  readonly group: string
  readonly origin: string
  /** When each of them was sent to its queue. */
  readonly times: readonly number[]
  /** The tenant of each dead letter that has one. */
  readonly tenantOf: readonly string[]
}

interface QueueStatus {
  readonly findings: readonly (StatusFinding | LetterFinding)[]
  readonly unread: readonly UnreadQueue[]
  /** Every dead letter was seen, so that one that was not seen does not exist. */
  readonly whole: boolean
  /** Other queues that have messages. */
  readonly queues: readonly SourceQueue[]
}

/**
 * The groups of dead letters on every dead-letter queue of the account and Region. Receives some of each queue, and makes them
 * visible again.
 * @throws when the queues cannot be listed
 */
export async function queueStatus(
  { sqs, store, clock, ...reading }: Reading & Sources,
  prefix: string | undefined,
  signal: AbortSignal,
): Promise<QueueStatus> {
  const { queues, unread, others } = await findDeadLetterQueues({ sqs, prefix })
  const began = clock.now()
  const asked = sourceStatus(others, reading)
  const filled = queues.filter((queue) => messagesOf(queue) > 0)
  const findings: (StatusFinding | LetterFinding)[] = []
  const failed: UnreadQueue[] = []
  const look = (queue: FoundQueue) => groupsOf(queue, { sqs, store }, signal)
  for await (const [queue, found] of mapInOrder(filled, look)) {
    if (typeof found === 'string') failed.push({ name: queue.name, url: queue.url, why: found })
    findings.push(...(typeof found === 'string' ? [unlooked(queue)] : found))
  }
  const seen = findings.every(({ atLeast }) => !atLeast)
  const held = filled.some(({ inFlight, delayed }) => inFlight + delayed > 0)
  const whole = prefix === undefined && unread.length + failed.length === 0 && seen && !held
  const sources = await asked
  const again = await secondLook(sources.unproven, { sqs, clock, began }, signal)
  return {
    findings: [
      ...findings,
      ...sources.findings,
      ...again.filter((each): each is StatusFinding => 'kind' in each),
    ],
    unread: [
      ...unread,
      ...failed,
      ...unreadLetters(findings),
      ...sources.unread,
      ...again.filter((each): each is UnreadQueue => 'why' in each),
    ],
    whole,
    queues: sources.queues,
  }
}

async function groupsOf(
  queue: FoundQueue,
  { sqs, store }: Pick<Reading, 'sqs' | 'store'>,
  signal: AbortSignal,
): Promise<readonly (StatusFinding | LetterFinding)[] | string> {
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
    // Others are held by another reader, or wait in a message group behind one of these.
    const all = messagesOf(queue)
    const isSample = more || looked < all
    const sample = isSample ? { read: looked, of: Math.max(looked, all) } : undefined
    return groups.flatMap((group) => findingsOf(group, records.of(group.group), { name, sample }))
  } catch (error) {
    return messageOf(error)
  }
}

/** Those whose record is lost are a finding of their own: the next step is another one. What is in doubt is a finding of the table. */
function findingsOf(
  group: DeadLetterGroup,
  { inDoubt, reopened, lost, records }: LetterRecords,
  { name, sample }: { readonly name: string; readonly sample: LetterSample | undefined },
): readonly (StatusFinding | LetterFinding)[] {
  const about = {
    severity: 'bad',
    onQueues: true,
    of: name,
    atLeast: sample !== undefined,
    ...(sample !== undefined && { sample }),
  } as const
  const { reason, origin, error, oldest, newest, times, cause, versions, messageGroups } = group
  const what = `${reason} of ${origin}: ${error}`
  const count = group.count - inDoubt - lost
  const findings: (StatusFinding | LetterFinding)[] = []
  if (count > 0) {
    const next = reopened >= count ? redriveNow(group, name) : nextFor(group, name)
    const time = { since: oldest, ...(count > 1 && { newest }), times }
    // On a FIFO queue a message group is no tenant.
    const tenantOf = name.endsWith('.fifo') ? [] : messageGroups
    const of = { group: group.group, origin, cause, versions, records, tenantOf }
    findings.push({ ...about, kind: 'dead letters', number: count, what, ...time, ...of, ...next })
  }
  if (lost > 0) {
    const next = adviceFor({ reason: 'lost record', queue: name, by: { group: group.group } })
    findings.push({
      ...about,
      kind: 'lost record',
      number: lost,
      since: oldest,
      ...next,
      what: `its record is gone from the table; ${what}`,
    })
  }
  return findings
}

/** An operator has decided, whatever their reason is. */
function redriveNow({ group }: DeadLetterGroup, queue: string): NextStep {
  const why = note('an operator lets them run again, and nothing else brings their messages back')
  return nextStep(redriveCommand({ queue, by: { group } }), [why])
}

function nextFor(
  { reason, error, group, count, origin, example }: DeadLetterGroup,
  queue: string,
): NextStep {
  // The origin of a flow is one of its stages, and its requests are listed by their key.
  const request = count === 1 && !origin.includes('.') ? `${origin}/${example}` : undefined
  return adviceFor({ reason, error, queue, by: { group }, request })
}

/** They may have causes that no finding names. */
function unreadLetters(findings: readonly StatusFinding[]): readonly UnreadQueue[] {
  const samples = new Map(findings.flatMap(({ of, sample }) => (sample ? [[of, sample]] : [])))
  return [...samples].map(([queue, { read, of }]) => ({
    name: `${of - read} of ${of} dead letters of ${queue}`,
    url: queue,
    why: `they may have further causes: lineclear dlq groups ${queue} reads all`,
  }))
}

/** Counted by SQS only: another reader holds them, or they cannot be received. */
function unlooked(queue: FoundQueue): StatusFinding {
  return {
    severity: 'bad',
    onQueues: true,
    kind: 'dead letters',
    of: queue.name,
    number: messagesOf(queue),
    atLeast: true,
    since: undefined,
    what: 'not looked at',
    ...nextStep({ action: 'dlq.groups', positionals: { queue: queue.name } }),
  }
}
