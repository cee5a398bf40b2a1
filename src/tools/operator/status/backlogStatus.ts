import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/errors.ts'
import { describeQueue, type QueueDescription } from '../../../send/operatorQueues.ts'
import { queueName, type UnreadQueue } from '../dlq/index.ts'
import { advise } from '../item/advise.ts'
import { nextStep, type StatusFinding } from './finding.ts'

/** So many messages that wait are worth a second look, on so many queues. */
const LARGE = 100
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

/** Queues that fill while they are looked at: one call more for each that is large, and up to two seconds. */
export async function backlogStatus(
  described: readonly QueueDescription[],
  { sqs, clock, began }: Looking,
  signal: AbortSignal,
): Promise<readonly (StatusFinding | UnreadQueue)[]> {
  const large = described
    .filter(({ visible }) => visible >= LARGE)
    .toSorted((one, other) => other.visible - one.visible)
  if (large.length === 0) return []
  await clock.sleep(Math.max(0, began + APART - clock.now()), signal)
  const looked = large.map(async (queue, at): Promise<readonly (StatusFinding | UnreadQueue)[]> => {
    const { url, visible: before } = queue
    const of = queueName(url)
    const unread = (why: string) => [{ name: `whether the backlog of ${of} grows`, url, why }]
    if (at >= MOST) return unread('there are fuller ones')
    try {
      const { visible = 0 } = (await describeQueue(sqs, url)) ?? {}
      const seconds = Math.max(1, Math.round((clock.now() - began) / 1_000))
      const what = `they wait, and are ${visible - before} more than ${seconds} s ago`
      return visible > before * (1 + NOISE) ? [growing(of, visible, what)] : []
    } catch (error) {
      return unread(messageOf(error))
    }
  })
  return (await Promise.all(looked)).flat()
}

function growing(of: string, number: number, what: string): StatusFinding {
  const whose = advise(
    'if it goes on: more concurrency, or fewer from its sender. Whose they are (receives them): ',
    {
      action: 'dlq.groups',
      positionals: { queue: of },
      options: { per: { ask: 'attribute', word: 'ATTRIBUTE', before: '' } },
      last: ['--force'],
    },
  )
  const { next, advice } = nextStep({ action: 'status', options: { queues: of, watch: true } })
  const rest = { atLeast: false, since: undefined, next, afterwards: whose.text }
  const about = { severity: 'warn', onQueues: true, kind: 'backlog', of, number, what } as const
  return { ...about, ...rest, advice: [...advice, whose] }
}
