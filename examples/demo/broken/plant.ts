import { setTimeout as sleep } from 'node:timers/promises'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { httpEvent } from 'lineclear/testing'
import { payments, refunds } from '../../broken/payments.ts'
import { FUNCTION_TIMEOUT, type Shop } from '../../broken/shop.ts'
import { deliver, deliverAndKill, deliverOnce, purge, send } from './deliveries.ts'
import { functionsOf } from './functions.ts'
import { HOSTILE_ID, HOSTILE_TEXT } from './hostile.ts'
import { badDeployment, deletedRecord, idleQueue, throttledTable, wrongClock } from './sixMore.ts'

/**
 * What goes wrong in the night, each by the shop's own functions.
 * @param night the shop with the clock of the night
 * @param morning the shop with the present time
 * @param ahead the shop on a host whose clock is ahead
 */
export async function plant(
  { night, morning, ahead }: Readonly<Record<'night' | 'morning' | 'ahead', Shop>>,
  say: (text: string) => void,
): Promise<void> {
  const broken = [
    poisonAndOutage(night),
    unknownMail(night, morning),
    lostLabel(night),
    deadAndStalledParcels(night),
    unansweredReturns(night),
    keys(night),
    badDeployment(night),
    throttledTable(morning),
    idleQueue(night),
    wrongClock(ahead),
    deletedRecord(night),
  ]
  let done = 0
  await Promise.all(
    broken.map(async (each) => {
      const what = await each
      say(`    ${(done += 1)} of ${broken.length}  ${what}\n`)
    }),
  )
}

/** Two prices that are no numbers, six orders that the bank never takes, and three invoices that are tried again and again. */
async function poisonAndOutage(shop: Shop): Promise<string> {
  const order = (number: number, total: unknown) =>
    send(shop, 'orders', `order-${number}`, { orderId: `order-${number}`, sku: 'apple', total })
  await order(11, '18.00 EUR')
  await order(12, '7.50 EUR')
  for (let number = 21; number <= 26; number++) await order(number, 1800)
  for (let number = 1; number <= 3; number++) {
    await send(shop, 'invoices', `invoice-${number}`, {
      invoiceId: `invoice-${number}`,
      total: 900,
    })
  }
  await deliver(shop, 'orders')
  return 'orders: poison payloads, and a bank that is down'
}

/** A mail that may have been sent, and one whose id and text are meant to mislead. */
async function unknownMail(night: Shop, morning: Shop): Promise<string> {
  const mail = (mailId: string, to: string) =>
    night.cloud.sqs.send(
      new SendMessageCommand({
        QueueUrl: night.cloud.queueUrl('mails'),
        MessageBody: JSON.stringify({ mailId, to, text: HOSTILE_TEXT.repeat(400) }),
      }),
    )
  await mail(HOSTILE_ID, HOSTILE_TEXT)
  // An attempt that a slow machine cut off would be one more dead letter.
  await deliver(night, 'mails', FUNCTION_TIMEOUT)
  await mail('mail-31', 'slow@example.com')
  await deliverOnce(night, 'mails')
  await deliver(morning, 'mails')
  return 'mails: an unknown outcome, and a hostile text'
}

/** Its second attempt is killed, and its message is purged. */
async function lostLabel(shop: Shop): Promise<string> {
  await send(shop, 'labels', 'label-41', { orderId: 'order-9' })
  await deliverOnce(shop, 'labels')
  await deliverAndKill(shop, 'labels')
  await purge(shop, 'labels')
  return 'labels: a killed function, whose message is gone'
}

/** Two dead ones, one that a killed function has left, and an order that came too late. */
async function deadAndStalledParcels(shop: Shop): Promise<string> {
  const { startParcel } = functionsOf(shop)
  const parcel = (number: number, country: string, second: number) =>
    startParcel(
      {
        parcelId: `parcel-${number}`,
        orderedAt: shop.options.clock.now() - 60_000 + second * 1_000,
        country,
      },
      { uniqueRequestId: `parcel-${number}-${country.toLowerCase()}` },
    )
  // Its second attempt is killed: a run that is lost in a first attempt is in no list before the sweeper's search finds it.
  await parcel(53, 'Malta', 0)
  await deliver(shop, 'pack')
  await deliverOnce(shop, 'ship')
  await deliverAndKill(shop, 'ship')
  await purge(shop, 'ship')
  await parcel(51, 'Malta', 1)
  await parcel(52, 'Malta', 1)
  await deliver(shop, 'pack')
  await deliver(shop, 'ship')
  await parcel(54, 'France', 9)
  await deliver(shop, 'pack')
  await parcel(54, 'Spain', 2)
  await deliver(shop, 'pack')
  await deliver(shop, 'ship')
  return 'parcels: dead, stalled, and one that came too late'
}

/** One return without an answer, one whose timeout is lost, and one whose answer was wrong. */
async function unansweredReturns(shop: Shop): Promise<string> {
  const { startReturn } = functionsOf(shop)
  const { cloud } = shop
  const start = (returnId: string, isUrgent = false) =>
    startReturn({ returnId, isUrgent }, { uniqueRequestId: `request-of-${returnId}` })
  await start('return-61')
  await start('return-62')
  await start('return-63', true)
  await deliver(shop, 'register')
  await purge(shop, 'inspected')
  await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl('inspected'),
      MessageBody: JSON.stringify({ inspectionId: 'inspection-of-return-62', cents: -1200 }),
    }),
  )
  await deliver(shop, 'inspected')
  return 'returns: no answer, a wrong answer, and a lost timeout'
}

/** A payment that may have been made, and a refund whose process died with the lock in its hand. */
async function keys(shop: Shop): Promise<string> {
  const ask = payments(shop)
  const headers = { 'Idempotency-Key': '"checkout-71"' }
  const event = httpEvent({ path: '/payments', headers, body: { cents: 1800 } })
  await Promise.allSettled([ask(event, contextOf('payments'))])
  const dies = refunds(shop)('payment-72', () => new Promise(() => {}))
  await Promise.race([dies, sleep(500)])
  return 'payments: an unknown outcome, and a lock whose owner is dead'
}

function contextOf(functionName: string): Context {
  const end = Date.now() + 29_000
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000071',
    functionName,
    getRemainingTimeInMillis: () => end - Date.now(),
  } as Context
}
