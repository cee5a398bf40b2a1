import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { producer } from 'lineclear'
import { PRICED, VERSION } from '../../broken/prices.ts'
import type { Shop } from '../../broken/shop.ts'
import { deliver, deliverAndKill, deliverOnce, send, throttledFor } from './deliveries.ts'

/** In each of three queues: as many as `lineclear status` looks at. */
const LETTERS = 100

/** One mistake in what three functions share: their queues fill with dead letters. */
export async function badDeployment(shop: Shop): Promise<string> {
  await Promise.all(
    PRICED.map(async (queue) => {
      const all = Array.from({ length: LETTERS }, (_, nth) => ({
        payload: { sku: `sku-${nth}` },
        uniqueRequestId: `${queue}-${nth}`,
      }))
      const { clients, clock } = shop.options
      await producer({ clients, clock }).sendMany(shop.cloud.queueUrl(queue), all)
      await deliver(shop, queue)
    }),
  )
  return `${PRICED.join(', ')}: version ${VERSION} of what they share, ${PRICED.length * LETTERS} dead letters`
}

/** Their table is throttled: the attempts do not count, and the messages come again. */
export async function throttledTable(shop: Shop): Promise<string> {
  for (let shelf = 1; shelf <= 6; shelf++) {
    await send(shop, 'scans', `scan-${shelf}`, { shelf: String(shelf) })
  }
  await deliverOnce(shop, 'scans', throttledFor(shop))
  return 'scans: a table that is throttled'
}

/** No function reads the queue: its mapping was disabled by hand. */
export async function idleQueue(shop: Shop): Promise<string> {
  for (let nth = 1; nth <= 4; nth++) await send(shop, 'newsletters', `issue-${nth}`, { to: 'all' })
  return 'newsletters: messages without a consumer'
}

/** Claimed by a function whose clock is ahead, which is then killed: its lease lasts for hours. */
export async function wrongClock(shop: Shop): Promise<string> {
  await send(shop, 'reminders', 'reminder-81', { to: 'ann@example.com' })
  await deliverOnce(shop, 'reminders')
  await deliverAndKill(shop, 'reminders')
  return 'reminders: a claim in the future, by a function whose clock is wrong'
}

/** The record of a dead letter was deleted by hand, in the console of DynamoDB. */
export async function deletedRecord(shop: Shop): Promise<string> {
  await send(shop, 'gifts', 'gift-91', { to: 'ben@example.com' })
  await deliver(shop, 'gifts')
  const { lineclear: TableName } = shop.tables
  const { Items = [] } = await shop.cloud.dynamodb.send(new ScanCommand({ TableName }))
  const { pk, sk } = Items.find((item) => item['pk']?.S?.includes('gift-91') === true) ?? {}
  if (pk === undefined || sk === undefined) throw new Error('gift-91 has no record')
  await shop.cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key: { pk, sk } }))
  return 'gifts: a dead letter whose record was deleted by hand'
}
