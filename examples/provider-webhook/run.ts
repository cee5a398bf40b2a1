import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'

export interface WebhookResult {
  readonly transactions: number
  readonly callbacks: number
  /** Callbacks that were not acknowledged, because the queue was not there. */
  readonly refused: number
  readonly entries: number
  readonly cents: number
}

/** Each transaction is called back three times, milliseconds apart, and for every fifth the queue fails the first time. */
export async function run(
  transactions: number,
  say: (line: string) => void,
): Promise<WebhookResult> {
  await using cloud = await startLocalCloud({
    queues: { callbacks: { visibilityTimeout: 18 } },
    tables: { lineclear: tableDefinition(), ledger: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment)
  const queueUrl = cloud.queueUrl('callbacks')
  const { handler: webhook } = await import('./handler.ts')
  const { handler: ledger } = await import('./ledger.ts')

  let [callbacks, refused] = [0, 0]
  const call = async (transactionId: string): Promise<void> => {
    callbacks += 1
    const body = JSON.stringify({ transactionId, cents: 100 })
    try {
      await webhook({ version: '2.0', body } as APIGatewayProxyEventV2)
    } catch {
      refused += 1
    }
  }
  for (let number = 1; number <= transactions; number++) {
    process.env['CALLBACKS_QUEUE'] = number % 5 === 0 ? `${queueUrl}-missing` : queueUrl
    await call(`tx-${number}`)
    process.env['CALLBACKS_QUEUE'] = queueUrl
    await Promise.all([call(`tx-${number}`), call(`tx-${number}`)])
  }
  const mapping = mapQueue({ cloud, queue: 'callbacks', handler: ledger, functionTimeout: '3s' })
  await mapping.drained({ timeout: '60s' })

  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'ledger', Key: { id: { S: 'total' } }, ConsistentRead: true }),
  )
  const [entries, cents] = [Number(Item?.['entries']?.N), Number(Item?.['cents']?.N)]
  say(
    `${transactions} transactions, ${callbacks} callbacks, ${refused} not acknowledged: ${entries} entries, ${cents} cents.`,
  )
  return { transactions, callbacks, refused, entries, cents }
}

if (import.meta.main) await run(20, console.log)
