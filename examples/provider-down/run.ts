import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'
import { bank } from './bank.ts'

export interface OutageResult {
  readonly payouts: number
  /** Calls that the bank refused while it was down. */
  readonly refused: number
  readonly transfers: number
  readonly booked: number
  readonly dead: number
}

/** In milliseconds. Without a circuit breaker three attempts would be spent in the first half of it. */
const OUTAGE = 8_000

/** Sends payouts to a bank that is down, and compares the books when it is up again. */
export async function run(
  payouts: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<OutageResult> {
  await using cloud = await startLocalCloud({
    queues: {
      payouts: { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 25 } },
      dead: {},
    },
    tables: { lineclear: tableDefinition(), payouts: { hash: 'payoutId' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  const faults = { ...FAULTS, kill: 0 }
  const mapping = mapQueue({ cloud, queue: 'payouts', handler, functionTimeout: '3s', faults })
  bank.isDown = true
  bank.refused = 0
  say(`Sending ${payouts} payouts; the bank is down for ${OUTAGE / 1_000} seconds …`)
  for (let number = 1; number <= payouts; number++) {
    const payout = { payoutId: `payout-${number}`, cents: 100 * number }
    const QueueUrl = cloud.queueUrl('payouts')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(payout) }))
  }
  await sleep(OUTAGE)
  const { refused } = bank
  bank.isDown = false
  say(`The bank has refused ${refused} calls. It is up again: the next probe closes the circuit …`)
  await untilQuiet([mapping])

  const result = {
    payouts,
    refused,
    transfers: bank.receipts.size,
    booked: (await rowsOf(cloud, 'payouts')).length,
    dead: cloud.inspectQueue('dead').ready.length,
  }
  say(`${result.transfers} transfers, ${result.booked} bookings, ${result.dead} dead letters.`)
  await keep(cloud)
  return result
}
