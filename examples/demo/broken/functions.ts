import type { QueueHandler } from 'lineclear/local'
import { invoices } from '../../broken/invoices.ts'
import { labels } from '../../broken/labels.ts'
import { mails } from '../../broken/mails.ts'
import { NOTICES, notices } from '../../broken/notices.ts'
import { orders } from '../../broken/orders.ts'
import { parcels } from '../../broken/parcels.ts'
import { PRICED, priced } from '../../broken/prices.ts'
import { returns } from '../../broken/returns.ts'
import { scans } from '../../broken/scans.ts'
import { uploads } from '../../broken/uploads.ts'
import { FUNCTION_TIMEOUT, MAILS_TIMEOUT, type Shop } from '../../broken/shop.ts'

/** A Lambda function of the shop, named like the queue that it reads. */
export interface ShopFunction {
  readonly queue: string
  readonly handler: QueueHandler
  /** As a deployment tags it, for `lineclear pause`. */
  readonly tags: Readonly<Record<string, string>>
}

export interface ShopFunctions {
  readonly functions: readonly ShopFunction[]
  readonly startParcel: ReturnType<typeof parcels>['start']
  readonly startReturn: ReturnType<typeof returns>['start']
}

export type FunctionTimeout = typeof FUNCTION_TIMEOUT | typeof MAILS_TIMEOUT

export function timeoutOf(queue: string): FunctionTimeout {
  return queue === 'mails' ? MAILS_TIMEOUT : FUNCTION_TIMEOUT
}

export function functionsOf(shop: Shop): ShopFunctions {
  const parcel = parcels(shop)
  const back = returns(shop)
  const consumer = (queue: string, handler: QueueHandler, dependency?: string): ShopFunction => ({
    queue,
    handler,
    tags: {
      'lineclear:consumer': queue,
      ...(dependency !== undefined && { 'lineclear:dependency': dependency }),
    },
  })
  const stage = (flow: string, queue: string, handler: QueueHandler): ShopFunction => ({
    queue,
    handler,
    tags: { 'lineclear:flow': flow },
  })
  return {
    functions: [
      consumer('orders', orders(shop), 'bank'),
      consumer('invoices', invoices(shop), 'bank'),
      consumer('mails', mails(shop)),
      consumer('labels', labels(shop)),
      consumer('scans', scans(shop)),
      consumer('uploads', uploads(shop)),
      ...PRICED.map((queue) => consumer(queue, priced(shop, queue))),
      ...NOTICES.map((queue) => consumer(queue, notices(shop, queue))),
      stage('parcels', 'pack', parcel.pack),
      stage('parcels', 'ship', parcel.ship),
      stage('returns', 'register', back.register),
      stage('returns', 'inspected', back.inspected),
      stage('returns', 'refund', back.refund),
    ],
    startParcel: parcel.start,
    startReturn: back.start,
  }
}
