import { tableDefinition } from 'lineclear/dynamodb'
import type { CloudDescription, QueueDescription } from 'lineclear/local'
import { LATE_QUEUES } from './late/late.ts'
import { TABLES } from './tables.ts'

export const SIDES = ['naive', 'lineclear'] as const
export type SideName = (typeof SIDES)[number]
export type BothSides<T> = Readonly<Record<SideName, T>>

/** Seconds. */
export const FUNCTION_TIMEOUT = 3
/** Seconds, after which SQS delivers the messages of a killed function again; by then its Lineclear lease (3 + 5 s) is over. */
export const VISIBILITY_TIMEOUT = 9
/** AWS advises at least 5. Lineclear counts executions itself, and each look at a held message is a receive. */
const MOST_RECEIVES: BothSides<number> = { naive: 5, lineclear: 1_000 }

const naive = halfOf('naive')
const lineclear = halfOf('lineclear')

export const DEMO_CLOUD: CloudDescription = {
  queues: { ...naive.queues, ...lineclear.queues, ...LATE_QUEUES },
  topics: { ...naive.topics, ...lineclear.topics },
  tables: {
    ...naive.tables,
    [TABLES.naive.transactions]: { hash: 'transactionId' },
    ...lineclear.tables,
    [TABLES.lineclear.tokens]: tableDefinition({ tableName: TABLES.lineclear.tokens }),
    [TABLES.late.ledger]: { hash: 'entryId' },
    [TABLES.late.powertools]: { hash: 'id' },
  },
}

/** What both sides have. */
function halfOf(side: SideName): CloudDescription {
  const queue = (deadLetters: string): QueueDescription => ({
    visibilityTimeout: VISIBILITY_TIMEOUT,
    deadLetter: { queue: deadLetters, maxReceiveCount: MOST_RECEIVES[side] },
  })
  return {
    queues: {
      [`${side}-callbacks`]: queue(`${side}-callbacks-dead`),
      [`${side}-callbacks-dead`]: {},
      [`${side}-receipts`]: queue(`${side}-receipts-dead`),
      [`${side}-receipts-dead`]: {},
    },
    topics: {
      [`${side}-callbacks`]: { subscriptions: [{ queue: `${side}-callbacks` }] },
      [`${side}-receipts`]: { subscriptions: [{ queue: `${side}-receipts` }] },
    },
    tables: {
      [TABLES[side].ledger]: { hash: 'entryId' },
      [TABLES[side].accounts]: { hash: 'account' },
      [TABLES[side].receipts]: { hash: 'transactionId' },
    },
  }
}
