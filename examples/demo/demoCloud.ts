import type { CloudDescription, QueueDescription } from 'lineclear/local'
import { tableDefinition } from 'lineclear/dynamodb'

export const SIDES = ['naive', 'lineclear'] as const
export type SideName = (typeof SIDES)[number]
export type BothSides<T> = Readonly<Record<SideName, T>>

/** Seconds. */
export const FUNCTION_TIMEOUT = 3
/** When the messages of a killed function come back; by then its Lineclear lease (3 + 5 s) is over. */
const VISIBILITY_TIMEOUT = 9
/** AWS advises at least 5. Lineclear counts executions itself, and each look at a held message is a receive. */
const MOST_RECEIVES: Readonly<Record<SideName, number>> = { naive: 5, lineclear: 1_000 }

/** Queues, topics and tables of each side; beside them the naive marks of what is booked, and Lineclear's own table. */
export const DEMO_CLOUD: CloudDescription = {
  queues: Object.assign({}, ...SIDES.map(queuesOf)),
  topics: Object.assign({}, ...SIDES.map(topicsOf)),
  tables: {
    ...Object.assign({}, ...SIDES.map(tablesOf)),
    'naive-transactions': { hash: 'transactionId' },
    lineclear: tableDefinition(),
  },
}

function queuesOf(side: SideName): Record<string, QueueDescription> {
  const queue = (name: string): QueueDescription => ({
    visibilityTimeout: VISIBILITY_TIMEOUT,
    deadLetter: { queue: name, maxReceiveCount: MOST_RECEIVES[side] },
  })
  return {
    [`${side}-callbacks`]: queue(`${side}-callbacks-dead`),
    [`${side}-callbacks-dead`]: {},
    [`${side}-receipts`]: queue(`${side}-receipts-dead`),
    [`${side}-receipts-dead`]: {},
  }
}

function topicsOf(side: SideName): CloudDescription['topics'] {
  return {
    [`${side}-callbacks`]: { subscriptions: [{ queue: `${side}-callbacks` }] },
    [`${side}-receipts`]: { subscriptions: [{ queue: `${side}-receipts` }] },
  }
}

function tablesOf(side: SideName): CloudDescription['tables'] {
  return {
    [`${side}-ledger`]: { hash: 'entryId' },
    [`${side}-accounts`]: { hash: 'account' },
    [`${side}-receipts`]: { hash: 'transactionId' },
  }
}
