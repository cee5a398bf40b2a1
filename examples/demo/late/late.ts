import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Logger, Store } from 'lineclear'
import { mapQueue, type CloudDescription, type LocalCloud } from 'lineclear/local'
import type { Tally } from '../reconcile.ts'
import { lineclear, naive, powertools } from './handlers.ts'
import { entriesOf } from './readLate.ts'

export const LATE_SIDES = ['naive', 'powertools', 'lineclear'] as const
export type LateSide = (typeof LATE_SIDES)[number]
export type LateBooks = Readonly<Record<LateSide, Tally>>

const PAYMENTS = Array.from({ length: 10 }, (_, at) => `payment-${at + 1}`)
const queueOf = (side: LateSide): string => `late-${side}`

/** Seconds that a message is hidden: a little more than the function may run. */
const HIDDEN = 2

export const LATE_QUEUES: NonNullable<CloudDescription['queues']> = Object.fromEntries(
  LATE_SIDES.map((side) => [queueOf(side), { visibilityTimeout: HIDDEN }]),
)

/** The attempts that are late, on functions of Lambda Managed Instances. */
export interface Late {
  /** Resolves when their code has ended. */
  finished(timeout: number): Promise<LateBooks>
  stop(): Promise<void>
}

/** Sends payments to three functions. Each one's first attempt reaches its timeout and runs on. */
export async function startLate(cloud: LocalCloud, store: Store, logger: Logger): Promise<Late> {
  const handlers = {
    naive: naive(cloud),
    powertools: powertools(cloud),
    lineclear: lineclear(cloud, store, logger),
  }
  for (const side of LATE_SIDES) await send(cloud, side)
  const mappings = LATE_SIDES.map((side) =>
    mapQueue({
      cloud,
      logger,
      queue: queueOf(side),
      handler: handlers[side],
      managed: true,
      functionTimeout: '1s',
    }),
  )
  return {
    finished: async (timeout) => {
      await Promise.all(mappings.map((mapping) => mapping.drained({ timeout })))
      return {
        naive: await tallyOf(cloud, 'naive'),
        powertools: await tallyOf(cloud, 'powertools'),
        lineclear: await tallyOf(cloud, 'lineclear'),
      }
    },
    stop: async () => {
      await Promise.all(mappings.map((mapping) => mapping.stop()))
    },
  }
}

async function send(cloud: LocalCloud, side: LateSide): Promise<void> {
  const QueueUrl = cloud.queueUrl(queueOf(side))
  for (const payment of PAYMENTS) {
    const MessageBody = JSON.stringify({ payment })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  }
}

async function tallyOf(cloud: LocalCloud, side: LateSide): Promise<Tally> {
  const entries = await entriesOf(cloud, side)
  const booked = new Set(entries).size
  return {
    expected: PAYMENTS.length,
    found: entries.length,
    lost: PAYMENTS.length - booked,
    doubled: entries.length - booked,
  }
}
