import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { sweepHandler } from 'lineclear'
import { memoryCloud, type MemoryCloud, memoryStore, type MemoryStore } from 'lineclear/testing'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR

/** How the table treats what has expired: DynamoDB deletes it at that moment at the earliest, and days later at the latest. */
export const TABLES = [
  ['deleted when it expires', true],
  ['still there', false],
] as const

const QUEUES = ['work', 'next', 'answers', 'outside', 'dead', 'aside'] as const
export type Queue = (typeof QUEUES)[number]

/** Queues in memory, a table that forgets or does not, and a clock that goes by days. */
export function daysCloud(deletesExpired: boolean) {
  const letters = { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const queues = Object.fromEntries(QUEUES.map((name) => [name, name === 'dead' ? {} : letters]))
  const cloud = memoryCloud({ queues })
  const store = memoryStore({ clock: cloud.clock, deletesExpired })
  const { clients, clock, logger } = cloud
  const begun = clock.now()
  return {
    cloud,
    store,
    options: { store, clients, clock, logger },
    url: (queue: Queue) => cloud.queueUrl(queue),
    /** It is day `n` since the start. */
    day: (n: number) => clock.set(begun + n * DAY),
    sweep: () => sweepHandler({ store, clients, clock, logger })(),
    count: (id: string) => countIn(store, id),
    reasons: () => cloud.messages('dead').map(({ carried }) => carried['reason']),
    redrive: (to: Queue) => redrive(cloud, to),
  }
}

export type DaysCloud = ReturnType<typeof daysCloud>

/** Adds 1 under `id`. */
export const counted = (id: string, by = 1) =>
  ({ TableName: 'counts', Key: { id }, add: { n: by } }) as const

function countIn(store: MemoryStore, id: string): unknown {
  return store.userItems('counts').find((item) => item['id'] === id)?.['n'] ?? 0
}

/** Sends every dead letter as it is to a queue, as SQS does, and empties theirs. */
async function redrive(cloud: MemoryCloud, to: Queue): Promise<void> {
  await cloud.drain({
    dead: async ({ Records }) => {
      for (const { body, messageAttributes } of Records) {
        const attributes = Object.entries(messageAttributes).map(([name, value]) => [
          name,
          { DataType: value.dataType, StringValue: value.stringValue },
        ])
        await cloud.clients.sqs.send(
          new SendMessageCommand({
            QueueUrl: cloud.queueUrl(to),
            MessageBody: body,
            MessageAttributes: Object.fromEntries(attributes),
          }),
        )
      }
    },
  })
}
