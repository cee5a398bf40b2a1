import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/errors.ts'
import { describeQueue, type QueueDescription } from '../../../send/operatorQueues.ts'
import { queueName, type UnreadQueue } from '../dlq/index.ts'
import { note } from '../item/advise.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** So many messages that wait are worth a second look. */
const LARGE = 100
/** The fullest ones. */
const MOST = 10
/** Between both looks, milliseconds. The look at the dead letters takes as long, if there are any. */
const APART = 2_000
/** SQS's counts are approximations: less than this part of them is no growth. */
const NOISE = 0.01

interface Looking {
  readonly sqs: SQSClient
  readonly clock: Clock
  /** When they were described, epoch milliseconds. */
  readonly began: number
}

interface BacklogStatus {
  readonly findings: readonly StatusFinding[]
  readonly unread: readonly UnreadQueue[]
}

/**
 * Queues that fill while they are looked at: one call more for each that is large, and up to two seconds.
 * @param described those that somebody reads
 */
export async function backlogStatus(
  described: readonly QueueDescription[],
  { sqs, clock, began }: Looking,
  signal: AbortSignal,
): Promise<BacklogStatus> {
  const large = described
    .filter(({ visible }) => visible >= LARGE)
    .toSorted((one, other) => other.visible - one.visible)
  if (large.length === 0) return { findings: [], unread: [] }
  await clock.sleep(Math.max(0, began + APART - clock.now()), signal)
  const looked = await Promise.all(
    large.slice(0, MOST).map(async (queue) => lookAgain(queue, sqs, clock.now() - began)),
  )
  const unlooked = large.slice(MOST).map((queue) => unread(queue, 'there are fuller ones'))
  return {
    findings: looked.flatMap((each) => (each !== undefined && 'kind' in each ? each : [])),
    unread: [
      ...looked.flatMap((each) => (each !== undefined && 'why' in each ? each : [])),
      ...unlooked,
    ],
  }
}

async function lookAgain(
  queue: QueueDescription,
  sqs: SQSClient,
  after: number,
): Promise<StatusFinding | UnreadQueue | undefined> {
  try {
    const { visible = 0 } = (await describeQueue(sqs, queue.url)) ?? {}
    const more = visible - queue.visible
    return more > queue.visible * NOISE
      ? growing(queueName(queue.url), visible, more, after)
      : undefined
  } catch (error) {
    return unread(queue, messageOf(error))
  }
}

function unread({ url }: QueueDescription, why: string): UnreadQueue {
  return { name: `whether the backlog of ${queueName(url)} grows`, url, why }
}

function growing(of: string, number: number, more: number, after: number): StatusFinding {
  const whose = note(
    `if it goes on: more concurrency, or fewer from its sender. Whose they are (receives all of them): lineclear dlq groups ${of} --per ATTRIBUTE --force`,
  )
  const { next, advice } = nextStep({ action: 'status', options: { queues: of, watch: true } })
  return {
    severity: 'warn',
    onQueues: true,
    kind: 'backlog',
    of,
    number,
    atLeast: false,
    since: undefined,
    what: `they wait, and are ${more} more than ${Math.max(1, Math.round(after / 1_000))} s ago`,
    next,
    afterwards: whose.text,
    advice: [...advice, whose],
  }
}
