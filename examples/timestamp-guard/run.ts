import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

export interface GuardResult {
  readonly customers: number
  readonly moves: number
  readonly deliveries: number
  /** Customers whose address is not the one that was sent last. */
  readonly wrong: number
}

const MOVES = 5

/** Each customer moves five times; SQS hands the messages out in any order, and some of them twice. */
export async function run(customers: number, say: (line: string) => void): Promise<GuardResult> {
  await using cloud = await startLocalCloud({
    queues: { addresses: { visibilityTimeout: 18 } },
    tables: { lineclear: tableDefinition(), customers: { hash: 'customerId' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  say(`${customers} customers move ${MOVES} times each …`)
  for (let move = 1; move <= MOVES; move++) {
    for (let number = 1; number <= customers; number++) {
      const moved = { customerId: `customer-${number}`, address: `house ${move}` }
      const QueueUrl = cloud.queueUrl('addresses')
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(moved) }))
    }
    await sleep(2)
  }
  const mapping = mapQueue({
    cloud,
    queue: 'addresses',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet(cloud, ['addresses'])

  const rows = await rowsOf(cloud, 'customers')
  const result = {
    customers,
    moves: customers * MOVES,
    deliveries: mapping.counts.deliveries,
    wrong: rows.filter(({ address }) => address !== `house ${MOVES}`).length,
  }
  say(`${result.deliveries} deliveries out of order: ${result.wrong} wrong addresses.`)
  return result
}

if (import.meta.main) await run(20, console.log)
