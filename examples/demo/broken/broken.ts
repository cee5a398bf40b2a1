import { randomUUID } from 'node:crypto'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import { type Clock, jsonLogger, type Logger } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import {
  type LocalCloud,
  mapQueue,
  type QueueMapping,
  serveMappings,
  startLocalCloud,
} from 'lineclear/local'
import { type Cause, QUEUES, type Shop } from '../../broken/shop.ts'
import { keepUp, type LocalPlace } from '../keepUp.ts'
import type { Place } from '../place/place.ts'
import { throttledFor } from './deliveries.ts'
import { flood } from './flood.ts'
import { functionsOf, timeoutOf } from './functions.ts'
import { nightClock, nightLogger, wrongClock } from './night.ts'
import { plant } from './plant.ts'
import { INTRO, NOW } from './texts.ts'

/** An engine that was already running may still hold the tables of another run. */
const OF_RUN =
  process.env['LINECLEAR_DYNAMODB_ENDPOINT'] === undefined ? '' : `-${randomUUID().slice(0, 8)}`
const TABLES = {
  lineclear: `lineclear${OF_RUN}`,
  stock: `stock${OF_RUN}`,
  shelves: `shelves${OF_RUN}`,
}

const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal && { signal }).catch(() => {})
  },
}

/**
 * Starts a shop, has everything break in it, and keeps it up until `signal`.
 * @param place of this demo; takes the causes that are repaired
 * @param onReady called when everything is broken
 * @param time how long it stays up then, milliseconds. undefined: until `signal`
 */
export async function runBroken(
  place: Place,
  logger: Logger,
  signal: AbortSignal,
  time: number | undefined,
  say: (text: string) => void,
  onReady: (found: LocalPlace, until: AbortSignal) => Promise<void> = async () => {},
): Promise<void> {
  say(INTRO)
  const repaired = new Set<Cause>(['carrier', 'printer'])
  await using cloud = await startShop()
  const shopAt = (clock: Clock, log: Logger, isRepaired: Shop['isRepaired']): Shop => {
    const store = dynamoDbStore({
      tableName: TABLES.lineclear,
      client: cloud.dynamodb,
      clock,
      logger: log,
    })
    const options = { store, clock, logger: log, clients: { sqs: cloud.sqs } }
    return { cloud, options, tables: TABLES, isRepaired }
  }
  const night = shopAt(nightClock, nightLogger(logger), () => false)
  const morning = shopAt(systemClock, logger, (cause) => repaired.has(cause))
  const ahead = shopAt(wrongClock, logger, () => false)
  await untilStopped(plant({ night, morning, ahead }, say), signal)
  const mappings = mapAll(morning)
  const lambda = await serveMappings([...mappings.values()])
  cloud.onStop(lambda.stop)
  place.onRepair((cause) => {
    repaired.add(cause)
    mappings.get('scans')?.setFaults(throttledFor(morning))
    if (cause === 'mapping') mappings.get('newsletters')?.resume()
  })
  void flood(morning, signal)
  const found = {
    ...cloud.endpoints,
    lambda: lambda.endpoint,
    table: TABLES.lineclear,
    template: relative('.', join(import.meta.dirname, '../../broken/template.yml')),
  }
  const ends = time === undefined ? [] : [AbortSignal.timeout(time)]
  const until = AbortSignal.any([signal, ...ends])
  await onReady(found, until)
  await keepUp(found, until, () => say(NOW))
}

/** All functions of the shop, by their queue. */
function mapAll(shop: Shop): ReadonlyMap<string, QueueMapping> {
  const { cloud, options } = shop
  const mappings = functionsOf(shop).functions.map(({ queue, ...one }) => {
    const faults = queue === 'scans' ? throttledFor(shop) : {}
    // Slower than one tenant sends.
    const few = queue === 'uploads' ? { batchSize: 1, concurrency: 1 } : {}
    const functionTimeout = timeoutOf(queue)
    const { logger } = options
    return mapQueue({ cloud, logger, queue, ...one, functionTimeout, faults, ...few })
  })
  const byQueue = new Map(mappings.map((mapping) => [mapping.queue, mapping]))
  void byQueue.get('newsletters')?.pause()
  return byQueue
}

async function startShop(): Promise<LocalCloud> {
  const cloud = await startLocalCloud(
    {
      queues: QUEUES,
      tables: {
        [TABLES.lineclear]: tableDefinition({ tableName: TABLES.lineclear }),
        [TABLES.stock]: { hash: 'sku' },
        [TABLES.shelves]: { hash: 'shelf' },
      },
    },
    { logger: jsonLogger('ERROR') },
  )
  cloud.onStop(async () => {
    for (const TableName of Object.values(TABLES)) {
      await cloud.dynamodb.send(new DeleteTableCommand({ TableName }))
    }
  })
  return cloud
}

function untilStopped(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  return Promise.race([work, promise])
}
