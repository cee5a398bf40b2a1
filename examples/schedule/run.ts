import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }

export interface ScheduleResult {
  readonly deliveries: number
  readonly nights: number
  readonly cents: number
  /** Entries in the ledger, and their sum. */
  readonly entries: number
  readonly booked: number
}

const SCHEDULE = 'arn:aws:scheduler:eu-central-1:123456789012:schedule/default/settlement'

/** Each night is delivered by Scheduler twice, and by Lambda twice each time: with the same request, at the same moment. */
export async function run(
  nights: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<ScheduleResult> {
  await using cloud = await startLocalCloud({
    queues: { ledger: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), sales: { hash: 'id' }, ledger: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment, { LEDGER_QUEUE: cloud.queueUrl('ledger') })
  const { handler } = await import('./handler.ts')
  const { handler: ledger } = await import('../provider-webhook/ledger.ts')

  let deliveries = 0
  const deliver = async (at: string, requestId: string): Promise<void> => {
    deliveries += 1
    await handler({ schedule: SCHEDULE, at }, contextOf(requestId))
  }
  for (let night = 1; night <= nights; night++) {
    const at = `2026-11-${String(night).padStart(2, '0')}T03:00:00Z`
    await cloud.dynamodb.send(
      new PutItemCommand({
        TableName: 'sales',
        Item: { id: { S: at.slice(0, 10) }, cents: { N: '100' } },
      }),
    )
    const requests = [crypto.randomUUID(), crypto.randomUUID()]
    await Promise.all([...requests, ...requests].map((id) => deliver(at, id)))
  }
  const mapping = mapQueue({ cloud, queue: 'ledger', handler: ledger, functionTimeout: '3s' })
  await mapping.drained({ timeout: '10m' })

  const sumsOf = async (TableName: string, id: string) => {
    const Key = { id: { S: id } }
    const { Item = {} } = await cloud.dynamodb.send(
      new GetItemCommand({ TableName, Key, ConsistentRead: true }),
    )
    return (name: string): number => Number(Item[name]?.N ?? 0)
  }
  const settled = await sumsOf('sales', 'settled')
  const total = await sumsOf('ledger', 'total')
  const result = {
    deliveries,
    nights: settled('nights'),
    cents: settled('cents'),
    entries: total('entries'),
    booked: total('cents'),
  }
  say(
    `${nights} nights, ${deliveries} deliveries: ${result.nights} settled with ${result.cents} cents, ` +
      `${result.entries} entries in the ledger with ${result.booked} cents.`,
  )
  await keep(cloud)
  return result
}

function contextOf(awsRequestId: string): Context {
  const end = Date.now() + 29_000
  return {
    awsRequestId,
    functionName: 'settlement',
    getRemainingTimeInMillis: () => end - Date.now(),
  } as Context
}
