import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface GuardResult {
  readonly customers: number
  readonly moves: number
  readonly deliveries: number
  /** Customers whose address is not that of their last move. */
  readonly wrong: number
}

const MOVES = 5
const DAY_MS = 86_400_000

/** Each customer moves five times; the last move is queued first, and SQS hands the messages out in any order, some of them twice. */
export async function run(
  customers: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<GuardResult> {
  await using cloud = await startLocalCloud({
    queues: { addresses: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), customers: { hash: 'customerId' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  say(`${customers} customers move ${MOVES} times each …`)
  const today = Date.now()
  for (let move = MOVES; move >= 1; move--) {
    for (let number = 1; number <= customers; number++) {
      const movedAt = new Date(today - (MOVES - move) * DAY_MS).toISOString()
      const moved = { customerId: `customer-${number}`, address: `house ${move}`, movedAt }
      const QueueUrl = cloud.queueUrl('addresses')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(moved) }))
    }
  }
  const mapping = mapQueue({
    cloud,
    queue: 'addresses',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet([mapping])

  const rows = await rowsOf(cloud, 'customers')
  const result = {
    customers,
    moves: customers * MOVES,
    deliveries: mapping.counts.deliveries,
    wrong: rows.filter(({ address }) => address !== `house ${MOVES}`).length,
  }
  say(`${result.deliveries} deliveries out of order: ${result.wrong} wrong addresses.`)
  await keep(cloud)
  return result
}
