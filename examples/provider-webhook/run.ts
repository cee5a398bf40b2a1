import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Context } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { httpEvent } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { sign } from './signature.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }

export interface WebhookResult {
  readonly transactions: number
  readonly callbacks: number
  /** Callbacks that were not acknowledged, because the queue was not there. */
  readonly failed: number
  /** Requests of strangers, and the recorded one that was sent again an hour later, of which none was taken. */
  readonly unauthorized: number
  readonly entries: number
  readonly cents: number
}

const SECRET = 'the-secret-that-the-provider-signs-with'
const HOUR_MS = 3_600_000

/**
 * Each transaction is called back three times, milliseconds apart, and for every fifth the queue fails the first time. Then strangers
 * call: without a signature, with one of another key, with a recorded one and another amount, and with one of an hour ago.
 */
export async function run(
  transactions: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<WebhookResult> {
  await using cloud = await startLocalCloud({
    queues: { callbacks: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), ledger: { hash: 'id' } },
  })
  Object.assign(process.env, cloud.environment, {
    WEBHOOK_SECRETS: JSON.stringify({ current: SECRET }),
  })
  const queueUrl = cloud.queueUrl('callbacks')
  const { handler: webhook } = await import('./handler.ts')
  const { handler: ledger } = await import('./ledger.ts')

  let [callbacks, failed] = [0, 0]
  const post = (body: string, headers: Readonly<Record<string, string>>) =>
    webhook(httpEvent({ headers, body }), {} as Context)
  const call = async (transactionId: string): Promise<void> => {
    callbacks += 1
    const body = JSON.stringify({ transactionId, cents: 100 })
    try {
      await post(body, sign(body, SECRET, Date.now()))
    } catch {
      failed += 1
    }
  }
  for (let number = 1; number <= transactions; number++) {
    process.env['CALLBACKS_QUEUE'] = number % 5 === 0 ? `${queueUrl}-missing` : queueUrl
    await call(`tx-${number}`)
    process.env['CALLBACKS_QUEUE'] = queueUrl
    await Promise.all([call(`tx-${number}`), call(`tx-${number}`)])
  }
  const real = JSON.stringify({ transactionId: 'tx-1', cents: 100 })
  const forged = JSON.stringify({ transactionId: 'tx-forged', cents: 1_000_000 })
  const answers = await Promise.all([
    post(forged, {}),
    post(forged, sign(forged, 'a secret that the provider does not know', Date.now())),
    post(forged, sign(real, SECRET, Date.now())),
    post(real, sign(real, SECRET, Date.now() - HOUR_MS)),
  ])
  const unauthorized = answers.filter(({ statusCode }) => statusCode === 401).length
  const mapping = mapQueue({ cloud, queue: 'callbacks', handler: ledger, functionTimeout: '3s' })
  await mapping.drained({ timeout: '10m' })

  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'ledger', Key: { id: { S: 'total' } }, ConsistentRead: true }),
  )
  const [entries, cents] = [Number(Item?.['entries']?.N), Number(Item?.['cents']?.N)]
  say(
    `${transactions} transactions, ${callbacks} callbacks, ${failed} not acknowledged, ${unauthorized} of strangers refused: ${entries} entries, ${cents} cents.`,
  )
  await keep(cloud)
  return { transactions, callbacks, failed, unauthorized, entries, cents }
}
