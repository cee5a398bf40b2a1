import { setTimeout as sleep } from 'node:timers/promises'
import { PurgeQueueCommand } from '@aws-sdk/client-sqs'
import { producer } from 'lineclear'
import { type Faults, mapQueue, type QueueMapping } from 'lineclear/local'
import type { Shop } from '../../broken/shop.ts'
import { functionsOf, type FunctionTimeout, timeoutOf } from './functions.ts'

/** Milliseconds. Enough for a busy machine. */
const LONGEST = 240_000

export async function send(
  { cloud, options: { clients, clock } }: Shop,
  queue: string,
  uniqueRequestId: string,
  payload: object,
) {
  await producer({ clients, clock }).send(cloud.queueUrl(queue), payload, {
    uniqueRequestId,
  })
}

function mapped(
  shop: Shop,
  queue: string,
  faults: Faults = {},
  functionTimeout: FunctionTimeout = timeoutOf(queue),
): QueueMapping {
  const one = functionsOf(shop).functions.find((each) => each.queue === queue)
  if (one === undefined) throw new Error(`no function reads ${queue}`)
  const { cloud } = shop
  return mapQueue({
    cloud,
    queue,
    handler: one.handler,
    logger: shop.options.logger,
    faults,
    functionTimeout,
  })
}

export async function deliver(
  shop: Shop,
  queue: string,
  functionTimeout?: FunctionTimeout,
): Promise<void> {
  const mapping = mapped(shop, queue, {}, functionTimeout)
  await mapping.drained({ timeout: LONGEST })
  await mapping.stop()
}

/** Until the first invocation has ended, or was cut off. */
export async function deliverOnce(shop: Shop, queue: string, faults?: Faults): Promise<void> {
  const mapping = mapped(shop, queue, faults)
  await until(() => mapping.counts.deliveries > 0)
  await mapping.stop()
}

/** Kills the function once it has its claim. A dead process logs nothing more. */
export async function deliverAndKill(shop: Shop, queue: string): Promise<void> {
  const { debug } = shop.options.logger
  const logger = { debug, info: () => {}, warn: () => {}, error: () => {} }
  const faults: Faults = { at: [{ invocation: 1, call: 3, fault: 'killBefore' }] }
  const mapping = mapped({ ...shop, options: { ...shop.options, logger } }, queue, faults)
  await until(() => mapping.counts.kills > 0)
  await mapping.stop()
}

/** What an operator did in the night, and should not have done. */
export async function purge({ cloud }: Shop, queue: string): Promise<void> {
  await cloud.sqs.send(new PurgeQueueCommand({ QueueUrl: cloud.queueUrl(queue) }))
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + LONGEST; !condition(); await sleep(20)) {
    if (Date.now() > end) throw new Error('a fault could not be planted')
  }
}

/** The table of the shelves has no throughput left, for longer than any demo. */
export function throttledFor({ tables, isRepaired }: Shop): Faults {
  if (isRepaired('throughput')) return {}
  return { throttleTables: [{ table: tables.shelves, for: 365 * 24 * 60 * 60_000 }] }
}
