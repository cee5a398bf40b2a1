import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../library/base/clock.ts'
import { messageOf } from '../../../library/base/errors.ts'
import { lazily } from '../../../library/base/lazily.ts'
import { type DeadLetterGroup, groupDeadLetters } from '../dlq/look.ts'
import {
  findDeadLetterQueues,
  type FoundQueue,
  messagesOf,
  type UnreadQueue,
} from '../dlq/findQueues.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import { type NextStep, nextStep, note } from '../item/advise.ts'
import { adviceFor, redriveCommand } from '../item/adviceFor.ts'
import { adviseWithoutError, isWithoutError, whyWithoutError } from './withoutError.ts'
import { secondLook } from './secondLook.ts'
import { functionsReading, type SourceQueue, sourceStatus } from './sourceStatus.ts'
import type { LetterSample, StatusFinding } from './finding.ts'
import { type LetterRecords, type ReadRecords, recordsByGroup } from './letterRecords.ts'

/** Dead letters that are received of each queue: a second or two. `dlq groups` counts all of them. */
const LOOKED = 500

interface Reading {
  readonly sqs: SQSClient
  readonly readRecords: ReadRecords
  /** Whether the table has shown what is in doubt: then it is not counted among the dead letters. */
  readonly showsDoubts: Promise<boolean>
  readonly clock: Clock
}

type Sources = Parameters<typeof sourceStatus>[1]

/** Dead letters of one group, before those of one cause are joined. */
export interface LetterFinding extends StatusFinding {
  readonly group: string
  readonly origin: string
  /** Which has written them. undefined: none has, or that is not known. */
  readonly consumer: string | undefined
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
  { sqs, readRecords, showsDoubts, clock, ...reading }: Reading & Sources,
  prefix: string | undefined,
  signal: AbortSignal,
): Promise<QueueStatus> {
  const { queues, unread, others } = await findDeadLetterQueues({ sqs, prefix })
  const began = clock.now()
  const mappings = lazily(reading.mappings)
  const asked = sourceStatus(others, { ...reading, mappings })
  const filled = queues.filter((queue) => messagesOf(queue) > 0)
  const findings: (StatusFinding | LetterFinding)[] = []
  const failed: UnreadQueue[] = []
  const functionsOf = async (arn: string): Promise<readonly string[] | undefined> =>
    mappings().then(
      (listed) => functionsReading(arn, listed),
      () => undefined,
    )
  const looking = { sqs, readRecords, showsDoubts, functionsOf, now: clock.now() }
  const look = (queue: FoundQueue) => groupsOf(queue, looking, signal)
  const notSeen: UnreadQueue[] = []
  for await (const [queue, found] of mapInOrder(filled, look)) {
    if (typeof found === 'string') failed.push({ name: queue.name, url: queue.url, why: found })
    findings.push(...(typeof found === 'string' ? [unlooked(queue)] : found.findings))
    if (typeof found !== 'string') notSeen.push(...found.notSeen)
  }
  const seen = notSeen.length === 0 && findings.every(({ atLeast }) => !atLeast)
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
      ...notSeen,
      ...sources.unread,
      ...again.filter((each): each is UnreadQueue => 'why' in each),
    ],
    whole,
    queues: sources.queues,
  }
}

interface Letters {
  readonly findings: readonly (StatusFinding | LetterFinding)[]
  /** Those that SQS counts, and that were not read. */
  readonly notSeen: readonly UnreadQueue[]
}

interface Looking extends Omit<Reading, 'clock'> {
  functionsOf(queueArn: string): Promise<readonly string[] | undefined>
  readonly now: number
}

async function groupsOf(
  queue: FoundQueue,
  { sqs, readRecords: read, showsDoubts, functionsOf, now }: Looking,
  signal: AbortSignal,
): Promise<Letters | string> {
  const { name, url, deadLetterQueue } = queue
  if (deadLetterQueue !== undefined) return 'it has a dead-letter queue of its own'
  const records = recordsByGroup({ read, functionsOf, now })
  try {
    const { groups, looked, more } = await groupDeadLetters({
      queue: url,
      sqs,
      signal,
      most: LOOKED,
      look: records.look,
    })
    if (looked === 0) return { findings: [unlooked(queue)], notSeen: [] }
    // Others are held by another reader, or wait in a message group behind one of these.
    const all = messagesOf(queue)
    // SQS counts the newest ones late, so that as many as it counts may be read while others are held.
    const held = queue.inFlight + queue.delayed
    const isSample = more || looked < all || held > 0
    const sample = isSample ? { read: looked, of: Math.max(looked + held, all) } : undefined
    const isShown = await showsDoubts
    const findings = groups.flatMap((group) => {
      const { inDoubt, ...of } = records.of(group.group)
      return findingsOf(group, { ...of, inDoubt: isShown ? inDoubt : [] }, { name, sample })
    })
    return { findings, notSeen: sample === undefined ? [] : [unreadLetters(queue, sample)] }
  } catch (error) {
    return messageOf(error)
  }
}

interface About {
  readonly name: string
  readonly sample: LetterSample | undefined
}

/** Those whose record is lost are a finding of their own: the next step is another one. What is in doubt is a finding of the table. */
function findingsOf(
  group: DeadLetterGroup,
  { inDoubt, reopened, lost, records, ...told }: LetterRecords,
  { name, sample }: About,
): readonly (StatusFinding | LetterFinding)[] {
  const about = {
    severity: 'bad',
    onQueues: true,
    of: name,
    atLeast: sample !== undefined,
    ...(sample !== undefined && { sample }),
  } as const
  const { reason, origin, consumer, error, cause, versions, messageGroups } = group
  const times = without(group.times, [...inDoubt, ...lost])
  const count = times.length
  const what = `${reason} of ${origin}: ${error === '' ? withoutError(reason, told, count) : error}`
  const findings: (StatusFinding | LetterFinding)[] = []
  if (count > 0) {
    const next =
      reopened >= count ? redriveNow(group, name) : nextFor(group, name, { ...told, count })
    const time = { ...spanOf(times), times }
    // On a FIFO queue a message group is no tenant.
    const tenantOf = name.endsWith('.fifo') ? [] : messageGroups
    const of = { group: group.group, origin, consumer, cause, versions, records, tenantOf }
    findings.push({ ...about, kind: 'dead letters', number: count, what, ...time, ...of, ...next })
  }
  if (lost.length > 0) {
    const next = adviceFor({ reason: 'lost record', queue: name, by: { group: group.group } })
    findings.push({
      ...about,
      kind: 'lost record',
      number: lost.length,
      ...spanOf(lost),
      ...next,
      what: `its record is gone from the table; ${what}`,
    })
  }
  return findings
}

type Told = Pick<LetterRecords, 'told' | 'notRead' | 'sources'>

function withoutError(reason: string, told: Told, count: number): string {
  return isWithoutError(reason, told.told) ? whyWithoutError(told, count) : 'it says no error'
}

/** One for each. */
function without(times: readonly number[], taken: readonly number[]): readonly number[] {
  const left = [...times]
  for (const each of taken) left.splice(left.indexOf(each), 1)
  return left
}

function spanOf(times: readonly number[]): Pick<StatusFinding, 'since' | 'newest'> {
  return { since: Math.min(...times), ...(times.length > 1 && { newest: Math.max(...times) }) }
}

/** An operator has decided, whatever their reason is. */
function redriveNow({ group }: DeadLetterGroup, queue: string): NextStep {
  const why = note('an operator lets them run again, and nothing else brings their messages back')
  return nextStep(redriveCommand({ queue, by: { group } }), [why])
}

function nextFor(
  { reason, error, group, count, consumer, request, example }: DeadLetterGroup,
  queue: string,
  told: Told & { readonly count: number },
): NextStep {
  if (error === '' && isWithoutError(reason, told.told)) {
    return adviseWithoutError({ queue, by: { group }, example, ...told })
  }
  const only = count === 1 ? request : undefined
  return adviceFor({ reason, error, queue, by: { group }, request: only, consumer })
}

/** They may have causes that no finding names, also where those that were read are none. */
function unreadLetters({ name, url }: FoundQueue, { read, of }: LetterSample): UnreadQueue {
  const why = `they may have further causes: lineclear dlq groups ${name} reads all`
  return { name: `${of - read} of ${of} dead letters of ${name}`, url, why }
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
