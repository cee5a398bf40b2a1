import {
  recordHandler,
  type RecordHandlerOptions,
  type Store,
  storedDelays,
  sweepHandler,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import type { Item } from '../../../src/library/protocol/store/store.ts'
import { shardsOf } from '../../../src/library/protocol/claim/statusIndex.ts'
import { documented } from '../../proof/formats/page.ts'
import { createTables, startDynoxide } from '../../store/dynoxide.ts'
import type { SweepOptions } from '../../../src/library/entries/sweeper/sweepHandler.ts'

export const HOUR = 3_600_000
export const MINUTE = 60_000

/** Queues in memory, and either store. */
export interface DelayedCloud extends Omit<MemoryCloud, 'store'> {
  readonly store: Store
  readonly options: Omit<RecordHandlerOptions, 'name'>
  sweep(
    more?: Partial<SweepOptions>,
    context?: unknown,
  ): ReturnType<ReturnType<typeof sweepHandler>>
  /** Consumes `orders`, and sends a reminder `delay` later. */
  reminding(delay: string, more?: Partial<RecordHandlerOptions>): ReturnType<typeof recordHandler>
  /** The rows that the index lists. */
  waiting(): Promise<readonly Item[]>
  /** A row as it is now. */
  row(as: Item | undefined): Promise<Item | undefined>
}

export function delayedCloud(
  storeOf: (cloud: MemoryCloud) => Store = ({ store }) => store,
): DelayedCloud {
  const dead = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({
    queues: {
      orders: dead,
      book: dead,
      ship: dead,
      reminders: {},
      'reminders.fifo': {},
      other: {},
      dead: {},
    },
  })
  const store = documented(storeOf(cloud))
  const { clients, clock, logger } = cloud
  const options = { store, clients, clock, logger, delays: storedDelays() }
  const read = async (pk: string): Promise<Item | undefined> => {
    const [found] = await store.read([{ pk, sk: 'later' }], { consistent: true })
    return found?.kind === 'found' ? found.item : undefined
  }
  return {
    ...cloud,
    store,
    options,
    sweep: (more = {}, context) =>
      sweepHandler({ store, clients, clock, logger, ...more })(undefined, context),
    reminding: (delay, more = {}) =>
      recordHandler({ name: 'orders', ...options, ...more }, async (order, ctx) => {
        await ctx.send(cloud.queueUrl('reminders'), order, { delay: delay as '1h' })
      }),
    waiting: async () => {
      const pages = await Promise.all(
        shardsOf('later').map((statusShard) =>
          store.due({ statusShard, until: Number.MAX_SAFE_INTEGER, most: 1_000 }),
        ),
      )
      const keys = pages.flatMap((page) => (page.kind === 'found' ? page.keys : []))
      return (await Promise.all(keys.map(({ pk }) => read(pk)))).filter(
        (item) => item !== undefined,
      )
    },
    row: async (as) => (typeof as?.['pk'] === 'string' ? read(as['pk']) : undefined),
  }
}

/** A DynamoDB engine for the tests of one file, with a table for each cloud. */
export async function startEngine() {
  const engine = await startDynoxide()
  const client = engine.client()
  return {
    stop: () => engine.stop(),
    cloud: async () => {
      const { tableName } = await createTables(client)
      return delayedCloud(({ clock }) => dynamoDbStore({ tableName, client, clock }))
    },
  }
}
